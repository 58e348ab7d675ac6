//! How deep a JSON text nests, measured before anything recursive sees it.

/// The deepest nesting of brackets outside strings.
pub(crate) fn nesting(text: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0_usize);
    let mut is_string = false;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match (is_string, byte) {
            (true, b'\\') => {
                bytes.next();
            }
            (_, b'"') => is_string = !is_string,
            (false, b'[' | b'{') => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::nesting;

    #[test]
    fn only_brackets_outside_strings_count() {
        for (text, expected) in
            [("1", 0), ("[]", 1), ("[{}, [[]]]", 3), (r#"["[[[", "\"[{"]"#, 1), ("]]][", 1), (r#""\\"[["#, 2)]
        {
            assert_eq!(nesting(text.as_bytes()), expected, "{text}");
        }
    }
}
