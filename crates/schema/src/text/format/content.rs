//! Content as patterns: text written in an encoding, a JSON document as text, or both at once.

use crate::draw::Draw;
use crate::text::format::Rule;
use crate::text::word;

/// Encodings of RFC 4648 that a judge checks: a few blocks, then any number. Bits left over at the end are zero.
const ENCODINGS: &[(&str, [&str; 2])] = &[
    (
        "base64",
        [
            "^(?:[A-Za-z0-9+/]{4}){1,5}(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$",
            "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$",
        ],
    ),
    (
        "base64url",
        [
            "^(?:[A-Za-z0-9_-]{4}){1,5}(?:[A-Za-z0-9_-][AQgw]==|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048]=)?$",
            "^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]==|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048]=)?$",
        ],
    ),
    ("base32", ["^(?:[A-Z2-7]{8}){1,3}$", "^(?:[A-Z2-7]{8})*(?:[A-Z2-7][AEIMQUY4]={6})?$"]),
    ("base32hex", ["^(?:[0-9A-V]{8}){1,3}$", "^(?:[0-9A-V]{8})*(?:[0-9A-V][048CGKOS]={6})?$"]),
    ("base16", ["^(?:[0-9A-F]{2}){1,8}$", "^(?:[0-9A-F]{2})*$"]),
];

/// JSON documents as text: small ones, then any that nest no deeper than one level.
const JSON: [&str; 2] = [
    r#"^(?:\{"[a-z]{2,8}":(?:"[a-z]{2,8}"|[1-9]\d{0,3}|true|false|null)\}|\[[1-9]\d?(?:,[1-9]\d?){0,3}\]|"[a-z]{2,8}"|[1-9]\d{1,4})$"#,
    r"^<s>(?:<v>|\[<s>(?:<v><s>(?:,<s><v><s>)*)?\]|\{<s>(?:<t><s>:<s><v><s>(?:,<s><t><s>:<s><v><s>)*)?\})<s>$",
];
const JSON_PARTS: &[(&str, &str)] = &[
    ("<v>", r"(?:<t>|-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false|null)"),
    ("<t>", r#""(?:[^"\\\x00-\x1f]|\\["\\/bfnrt])*""#),
    ("<s>", r"[ \t\n\r]*"),
];

/// How many encoded documents there are to choose from.
const N_DOCUMENTS: u64 = 120;

/// The rules of media types and encodings; those no judge checks ask for nothing.
pub(crate) fn rules(media_types: &[String], encodings: &[String]) -> Vec<Rule> {
    let is_json = media_types.iter().any(|media_type| media_type == "application/json");
    let known = |name: &String| ENCODINGS.iter().find(|(known, _)| known == name);
    let encodings: Vec<&(&str, [&str; 2])> = encodings.iter().filter_map(known).collect();
    let mut rules: Vec<Rule> = encodings
        .iter()
        .map(|(_, tiers)| Rule {
            tiers: tiers.iter().map(|tier| (*tier).to_owned()).collect(),
            is_whole: false,
            bar: None,
        })
        .collect();
    if is_json && encodings.is_empty() {
        let wide = JSON_PARTS
            .iter()
            .fold(JSON[1].to_owned(), |pattern, (part, meaning)| pattern.replace(part, meaning));
        rules.push(Rule { tiers: vec![JSON[0].to_owned(), wide], is_whole: false, bar: None });
    }
    if is_json && encodings.iter().any(|(name, _)| *name == "base64") {
        rules.push(Rule { tiers: vec![documents_in_base64()], is_whole: false, bar: None });
    }
    rules
}

/// A choice of small JSON documents, each encoded.
fn documents_in_base64() -> String {
    let mut draw = Draw::new(0);
    let documents = (0..N_DOCUMENTS).map(|number| match number % 4 {
        0 => format!("{{\"{}\":\"{}\"}}", word::word(&mut draw), word::word(&mut draw)),
        1 => format!("\"{}\"", word::word(&mut draw)),
        2 => format!("{{\"{}\":{number}}}", word::word(&mut draw)),
        _ => number.to_string(),
    });
    let encoded: Vec<String> =
        documents.map(|document| base64(document.as_bytes()).replace('+', "\\+")).collect();
    format!("^(?:{})$", encoded.join("|"))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for block in bytes.chunks(3) {
        let bits =
            block.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - block.len()));
        for digit in 0..4 {
            let index = (bits >> (18 - 6 * digit) & 63) as usize;
            text.push(if digit > block.len() { '=' } else { char::from(DIGITS[index]) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads_to_whole_blocks() {
        assert_eq!([&b"f"[..], b"fo", b"foo", b"foobar"].map(base64), ["Zg==", "Zm8=", "Zm9v", "Zm9vYmFy"]);
    }
}
