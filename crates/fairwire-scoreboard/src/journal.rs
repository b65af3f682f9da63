//! A file that keeps what was found, one JSON object a line.
//!
//! A line is written in one piece: an interrupted run leaves whole lines and at most
//! one torn end, which is dropped.

use crate::ScoreError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A file of lines, and what is in it by key.
#[derive(Debug)]
pub struct Journal<T> {
    path: PathBuf,
    state: Mutex<(File, BTreeMap<String, T>)>,
}

impl<T: Serialize + DeserializeOwned + Clone> Journal<T> {
    /// Opens the file `name` in `folder`, which is made if need be; `fresh` forgets
    /// what it holds. `key` tells what an item is kept under.
    ///
    /// # Errors
    /// [`ScoreError::Io`] if the operating system refuses.
    pub fn open(folder: &Path, name: &str, fresh: bool, key: impl Fn(&T) -> String) -> Result<Self, ScoreError> {
        let path = folder.join(name);
        fs::create_dir_all(folder).map_err(ScoreError::io("make", folder))?;
        if fresh {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(ScoreError::io("remove", &path)(error));
                }
                _ => {}
            }
        }
        let text = match fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(ScoreError::io("read", &path)(error)),
        };
        // Lines of another format are those of another version: they are of no use, and do no harm.
        let known = text.lines().filter_map(|line| serde_json::from_str(line).ok());
        let known = known.map(|item: T| (key(&item), item)).collect();
        let mut file =
            OpenOptions::new().create(true).append(true).open(&path).map_err(ScoreError::io("open", &path))?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(ScoreError::io("write", &path))?;
        }
        Ok(Self { path, state: Mutex::new((file, known)) })
    }

    /// What is kept under `key`.
    pub fn get(&self, key: &str) -> Option<T> {
        self.state.lock().ok()?.1.get(key).cloned()
    }

    /// Keeps an item.
    ///
    /// # Errors
    /// [`ScoreError::Io`] if it cannot be written.
    pub fn keep(&self, key: &str, item: T) -> Result<(), ScoreError> {
        let refused = ScoreError::io("write", &self.path);
        let line = serde_json::to_string(&item).map(|line| line + "\n");
        let Ok(mut state) = self.state.lock() else { return Ok(()) };
        match line.map_err(std::io::Error::from).and_then(|line| state.0.write_all(line.as_bytes())) {
            Ok(()) => {
                state.1.insert(key.to_owned(), item);
                Ok(())
            }
            Err(error) => Err(refused(error)),
        }
    }
}
