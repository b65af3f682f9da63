//! How scenarios name and set queue laws.

use fairwire_laws::queue::QueueLawChoice;

#[test]
fn every_law_is_found_by_its_name_and_written_as_it_is_read() {
    for about in QueueLawChoice::ALL {
        let choice = QueueLawChoice::by_name(about.name).unwrap();
        assert_eq!(choice.about(), *about);
        assert_eq!(choice.problem(), None, "{}", about.name);
        let text = toml::to_string(&choice).unwrap();
        assert!(text.contains(&format!("name = \"{}\"", about.name)), "{text}");
        assert_eq!(toml::from_str::<QueueLawChoice>(&text).unwrap(), choice);
        assert!(toml::from_str::<QueueLawChoice>(&format!("name = \"{}\"\nnonsense = 1", about.name)).is_err());
    }
    assert!(QueueLawChoice::by_name("red-alert").is_err());
}

#[test]
fn the_papers_parameters_are_the_defaults() {
    // claim vrr-parameters
    let expected = "min-th = 30.0\nmax-th = 90.0\nw-q = 0.002\nmax-p = 0.1\n";
    for name in ["red", "fred", "vrr", "choke"] {
        let text = toml::to_string(&QueueLawChoice::by_name(name).unwrap()).unwrap();
        assert!(text.contains(expected), "{text}");
        // Laws that draw alike are compared with each other.
        assert!(text.contains("wait = true\n"), "{text}");
    }
    assert!(toml::to_string(&QueueLawChoice::by_name("fred").unwrap()).unwrap().contains("min-q = 4\n"));
    assert!(toml::to_string(&QueueLawChoice::by_name("vrr").unwrap()).unwrap().contains("min-q = 4.0\n"));
}

#[test]
fn what_is_out_of_range_is_refused_with_the_key() {
    let table = [
        ("red", "min-th = 0", "min-th"),
        ("red", "min-th = 90", "max-th"),
        ("red", "max-p = 1.5", "max-p"),
        ("red", "w-q = nan", "w-q"),
        ("fred", "min-q = 0", "min-q"),
        ("fred", "w-q = 0", "w-q"),
        ("vrr", "min-q = -1", "min-q"),
        ("vrr", "max-th = inf", "max-th"),
        ("codel", "target = '0 s'", "target"),
        ("codel", "interval = '1 ms'", "interval"),
        ("pie", "update = '0 s'", "update"),
        ("pie", "target = '0 s'", "target"),
        ("pie", "alpha = -1", "alpha"),
        ("pie", "beta = inf", "beta"),
        ("pie", "mark-limit = 2", "mark-limit"),
        ("fq-codel", "lanes = 0", "lanes"),
        ("fq-codel", "quantum = '0 B'", "quantum"),
        ("fq-codel", "drop-batch = 0", "drop-batch"),
        ("drr", "quantum = '0 B'", "quantum"),
        ("sfq", "lanes = 9999999", "lanes"),
        ("sfq", "quantum = '0 B'", "quantum"),
        ("choke", "candidates = 0", "candidates"),
        ("choke", "max-p = 0", "max-p"),
        ("cake", "lanes = 0", "lanes"),
        ("cake", "interval = '0 s'", "target"),
        ("cake", "quantum = '3 GB'", "quantum"),
    ];
    for (law, line, key) in table {
        let choice: QueueLawChoice = toml::from_str(&format!("name = '{law}'\n{line}")).unwrap();
        let problem = choice.problem().unwrap_or_else(|| panic!("{law}: {line}"));
        assert!(problem.starts_with(&format!("`{key}` is ")), "{law}: {line}: {problem}");
    }
}
