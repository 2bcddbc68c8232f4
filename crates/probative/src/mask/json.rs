//! Secrets in JSON that is written already: hidden in its texts and numbers, and it stays JSON.

use std::borrow::Cow;

use super::Mask;

impl Mask {
    /// The same JSON with stars over every secret in its keys, texts and numbers. A number becomes a text of stars.
    pub fn hide_json<'t>(&self, json: &'t str) -> Cow<'t, str> {
        if self.is_empty() {
            return Cow::Borrowed(json);
        }
        let mut hidden = String::new();
        let (mut kept, mut at) = (0, 0);
        while let Some((start, end)) = next_token(json, at) {
            at = end;
            if let Some(token) = self.hide_token(&json[start..end]) {
                hidden.push_str(&json[kept..start]);
                hidden.push_str(&token);
                kept = end;
            }
        }
        if kept == 0 {
            return Cow::Borrowed(json);
        }
        hidden.push_str(&json[kept..]);
        Cow::Owned(hidden)
    }

    /// A text or a number with what is secret in it hidden, if there is anything.
    fn hide_token(&self, token: &str) -> Option<String> {
        let text: Cow<'_, str> = match token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(plain) if !plain.contains('\\') => Cow::Borrowed(plain),
            Some(_) => Cow::Owned(serde_json::from_str(token).ok()?),
            None => Cow::Borrowed(token),
        };
        match self.hide(&text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(hidden) => serde_json::to_string(&hidden).ok(),
        }
    }
}

/// Where the next text or number begins and ends.
fn next_token(json: &str, from: usize) -> Option<(usize, usize)> {
    let is_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
    let bytes = json.as_bytes();
    let begins = |byte: &u8| *byte == b'"' || *byte == b'-' || byte.is_ascii_digit();
    let start = from + bytes[from..].iter().position(begins)?;
    if bytes[start] != b'"' {
        let length = bytes[start..].iter().take_while(|byte| is_number(byte)).count();
        return Some((start, start + length));
    }
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some((start, at + 1));
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::Mask;

    #[test]
    fn json_stays_json_and_what_it_means() {
        let mask = Mask::of(["na\"me\\x\u{e4}", "12345678", "status-1"]);
        for (json, hidden) in [
            (
                r#"{"a":"na\"me\\x\u00e4","b":[1,-12345678.5e1]}"#,
                r#"{"a":"*********","b":[1,"-********.5e1"]}"#,
            ),
            (r#"{"status-1": "\nstatus-1"}"#, r#"{"********": "\n********"}"#),
            (r#"{"a": true, "b": "\\"}"#, r#"{"a": true, "b": "\\"}"#),
        ] {
            assert_eq!(mask.hide_json(json), hidden);
            serde_json::from_str::<serde_json::Value>(hidden).unwrap();
        }
        assert_eq!(mask.hide_json("\"unclosed"), "\"unclosed");
    }
}
