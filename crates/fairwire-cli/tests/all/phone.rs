//! Pages on a phone: nothing is wider than the screen. Passes over, and says so, where there is no browser.

use crate::common::{SMALL, fairwire_in, folder, put};
use std::path::Path;
use std::process::{Command, Stdio};

/// The width of a phone's screen, in pixels.
const PHONE: usize = 390;

/// How wide a page is in a window of the width of a phone; none without a browser.
fn width_on_a_phone(folder: &Path, page: &str) -> Option<usize> {
    let text = std::fs::read_to_string(folder.join(page)).expect("a page");
    let tell =
        "<script>addEventListener('load',()=>parent.postMessage(document.documentElement.scrollWidth,'*'))</script>";
    put(folder, "page.html", &(text + tell));
    let frame = format!("<iframe src=page.html width={PHONE} height=800 style='border:0'></iframe>");
    let hear = "<script>addEventListener('message',e=>document.title='wide '+e.data)</script>";
    let outer = put(folder, "phone.html", &format!("<!doctype html>{hear}{frame}"));
    let profile = folder.join("browser");
    let dom = ["chromium", "chromium-browser", "google-chrome"].iter().find_map(|browser| {
        let mut call = Command::new(browser);
        call.args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom"]);
        call.arg(format!("--user-data-dir={}", profile.display())).arg(format!("file://{outer}"));
        call.stderr(Stdio::null()).output().ok().filter(|output| output.status.success())
    })?;
    let dom = String::from_utf8_lossy(&dom.stdout).into_owned();
    let told = dom.split("<title>wide ").nth(1).and_then(|rest| rest.split('<').next());
    Some(told.and_then(|width| width.parse().ok()).unwrap_or_else(|| panic!("the page tells its width: {dom}")))
}

#[test]
fn a_report_with_all_laws_fits_a_phone() {
    let folder = folder("phone-report");
    put(&folder, "small.toml", SMALL);
    fairwire_in(&folder, &["compare", "small.toml", "--out", "all"]).ends_with(0);
    fairwire_in(&folder, &["allocate", "small.toml", "--html", "fair.html"]).ends_with(0);
    let name = "a".repeat(90);
    let words = "a very long name that somebody typed into a spreadsheet".to_owned();
    let named = SMALL.replace("Two senders, one exit", &name).replace("to-last", &words);
    put(&folder, "named.toml", &named.replace("[run]", &format!("description = \"{name}\"\n[run]")));
    fairwire_in(&folder, &["compare", "named.toml", "--out", "named"]).ends_with(0);
    fairwire_in(&folder, &["allocate", "named.toml", "--html", "named.html"]).ends_with(0);
    for page in ["all/report.html", "fair.html", "named/report.html", "named.html"] {
        match width_on_a_phone(&folder, page) {
            Some(width) => assert!(width <= PHONE, "{page} is {width} pixels wide"),
            None => eprintln!("passed over: there is no browser"),
        }
    }
}
