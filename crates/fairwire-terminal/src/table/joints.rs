//! Where long names are broken that have no spaces: `network.link.up.capacity`, `backup-of-the-server`.

use textwrap::core::display_width;

/// After these a name goes on in a new line.
const JOINTS: [char; 4] = ['.', '-', '_', '/'];

/// The same text with line ends in words that are wider than `width`, each after a joint where one is near enough.
pub fn broken_at_joints(text: &str, width: usize) -> String {
    text.split(' ').map(|word| word_in_lines(word, width)).collect::<Vec<_>>().join(" ")
}

fn word_in_lines(word: &str, width: usize) -> String {
    let (mut lines, mut rest) = (String::new(), word);
    while display_width(rest) > width {
        let ends = rest.char_indices().filter(|(_, letter)| JOINTS.contains(letter));
        let cuts = ends.map(|(at, letter)| at + letter.len_utf8());
        // What has no joint in a line is broken wherever the line ends.
        let Some(cut) = cuts.take_while(|cut| display_width(&rest[..*cut]) <= width).last() else { break };
        lines.push_str(&rest[..cut]);
        lines.push('\n');
        rest = &rest[cut..];
    }
    lines + rest
}

#[cfg(test)]
mod tests {
    use super::broken_at_joints;

    #[test]
    fn names_are_broken_after_joints_and_only_where_they_must() {
        let broken = |text: &str, width: usize| broken_at_joints(text, width);
        assert_eq!(broken("backup-of-the-file-server", 23), "backup-of-the-file-\nserver");
        assert_eq!(
            broken("network.link.uplink-to-provider.capacity", 27),
            "network.link.uplink-to-\nprovider.capacity"
        );
        assert_eq!(broken("a-b c.d", 3), "a-b c.d");
        assert_eq!(broken("of backup-of-it", 7), "of backup-\nof-it");
        assert_eq!(broken("abcdefgh-i", 4), "abcdefgh-i", "no joint is near enough");
    }
}
