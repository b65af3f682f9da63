//! Captures of links: what is asked for, and where it goes.

use crate::new_file;
use crate::real::UnnamedFile;
use fairwire_net::{CaptureLinks, CaptureWriter};
use fairwire_runs::{Batch, CaptureFailure, FinishedRun, Job, Reference, RunHeader};
use fairwire_terminal::CliError;
use std::path::PathBuf;

/// Options of `run`.
#[derive(Debug, clap::Args)]
pub struct CaptureOptions {
    /// Write what these links send as pcapng, for Wireshark, into the result folder: `r0:3` is the link of ringlet 0 that leaves
    /// station 3, in networks links have their names; `all` means all. Give several with commas or one by one
    #[arg(long = "capture", value_name = "LINK", value_delimiter = ',', help_heading = "Capture")]
    capture_links: Vec<String>,

    /// Write the capture to this file instead, which is not there yet; of one run
    #[arg(long = "capture-file", value_name = "FILE", requires = "capture_links", help_heading = "Capture")]
    capture_file: Option<PathBuf>,
}

/// What is captured of a batch.
#[derive(Debug)]
pub struct Capture<'a> {
    links: CaptureLinks,
    file: Option<&'a PathBuf>,
}

impl CaptureOptions {
    /// What they ask for of this batch, whose results are kept in a folder or not; none if they ask for nothing.
    ///
    /// # Errors
    /// If there is no such link, or no place for the capture.
    pub fn of(&self, batch: &Batch, has_folder: bool) -> Result<Option<Capture<'_>>, CliError> {
        if self.capture_links.is_empty() {
            return Ok(None);
        }
        match &self.capture_file {
            None if !has_folder => {
                return Err(CliError::bad_input(
                    "a capture goes into the result folder, and there is to be none",
                    "leave out `--no-folder`, or name a file with `--capture-file`",
                ));
            }
            Some(_) if batch.len() > 1 => {
                return Err(CliError::bad_input(
                    format!("one file cannot hold the captures of {} runs", batch.len()),
                    "choose one with `--run`, or leave out `--capture-file`: the result folder has one for each",
                ));
            }
            Some(file) => new_file::check(file)?,
            None => {}
        }
        let links = batch.capture_links(&self.capture_links).map_err(|unknown| {
            CliError::bad_input(unknown.to_string(), format!("there are {}; `all` means all", unknown.known.join(", ")))
        })?;
        Ok(Some(Capture { links, file: self.capture_file.as_ref() }))
    }
}

impl Capture<'_> {
    /// The links.
    pub fn links(&self) -> &CaptureLinks {
        &self.links
    }

    /// Begins the capture of a run.
    ///
    /// # Errors
    /// If it cannot be written where temporary files are.
    pub fn begin(&self, batch: &Batch, job: Job) -> Result<(UnnamedFile, CaptureWriter<'static>), CliError> {
        let name = RunHeader::of(batch, job).file_name("capture-", "pcapng");
        UnnamedFile::new(name, |out| batch.begin_capture(job, self.links.clone(), out))
    }

    /// Puts a finished capture where it is wanted, if that is not the result folder: none then.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn place(&self, kept: UnnamedFile) -> Result<Option<UnnamedFile>, CliError> {
        match self.file {
            None => Ok(Some(kept)),
            Some(path) => new_file::copy(path, &kept.file).map(|()| None),
        }
    }
}

/// Simulates the batch, one run after the other, with captures. `watch` is as that of [`Batch::simulate`].
///
/// # Errors
/// A plan that cannot be run, or a capture that cannot be written.
pub fn simulate(
    batch: &Batch,
    reference: &Reference,
    capture: &Capture<'_>,
    watch: &dyn Fn(usize, f64) -> bool,
) -> Result<(Vec<UnnamedFile>, Vec<FinishedRun>), CliError> {
    let (mut files, mut runs) = (Vec::new(), Vec::new());
    for (number, job) in batch.jobs().into_iter().enumerate() {
        let (kept, mut writer) = capture.begin(batch, job)?;
        let mut watch = |fraction| watch(number, fraction);
        let run = batch.simulate_captured(job, reference, capture.links(), &mut writer, &mut watch);
        let run = run.map_err(|failure| match failure {
            CaptureFailure::Plan(error) => CliError::bad_input(error.to_string(), "change the scenario"),
            CaptureFailure::File(error) => unwritten(&error),
        })?;
        let Some(run) = run else { break };
        writer.end().map_err(|error| unwritten(&error))?;
        files.extend(capture.place(kept)?);
        runs.push(run);
    }
    Ok((files, runs))
}

fn unwritten(error: &std::io::Error) -> CliError {
    crate::real::refusal(&fairwire_net::NetError::Capture(std::io::Error::new(error.kind(), error.to_string())))
}
