//! The table of formats: for each, patterns to draw from and a pattern to stay clear of.
//!
//! Every string of every tier satisfies both judges: the `jsonschema` crate and AJV with ajv-formats.

/// How a format is drawn and avoided.
pub(crate) struct Format {
    pub(crate) name: &'static str,
    /// Patterns within the format, from the most readable to the widest.
    pub(crate) tiers: &'static [&'static str],
    /// The widest tier is all that both judges take.
    pub(crate) is_whole: bool,
    /// A pattern that every string of the format matches in the eyes of either judge; `None` for a format that is
    /// only a hint.
    pub(crate) bar: Option<&'static str>,
}

/// Names for what occurs in several patterns; a later one may use an earlier one.
pub(crate) const PARTS: &[(&str, &str)] = &[
    ("<word>", "[a-z]{3,8}"),
    ("<hex>", "[0-9A-Fa-f]"),
    ("<byte>", r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"),
    ("<ending>", "(?:com|org|net|io|example)"),
    ("<host>", r"<word>(?:-<word>)?(?:\.<word>)?\.<ending>"),
    ("<label>", "(?:[A-Za-z0-9]{1,10}-){0,3}[A-Za-z0-9]{1,20}"),
    (
        "<day>",
        r"(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))",
    ),
    ("<leap>", r"(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29"),
    ("<date>", "(?:19[7-9][0-9]|20[0-4][0-9])-<day>"),
    ("<any-date>", r"(?:\d{4}-<day>|<leap>)"),
    ("<clock>", r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d"),
    ("<time>", r"<clock>(?:\.\d{3})?(?:Z|[+-](?:0\d|1[0-2]):(?:00|30))"),
    ("<any-time>", r"(?:<clock>(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)|23:59:60(?:\.\d+)?[Zz])"),
    ("<dates>", r"(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)"),
    ("<times>", r"T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)"),
    ("<query>", r"(?:\?[a-z]{2,6}=[a-z0-9]{1,6}(?:&[a-z]{2,6}=[a-z0-9]{1,6})?)?(?:#<word>)?"),
    ("<path>", "(?:/[a-z0-9]{2,8}(?:-<word>)?){0,3}"),
    ("<percent>", "%<hex><hex>"),
    // The characters of RFC 3986: of a host name, of a path segment, of a query or fragment.
    ("<name-character>", "(?:[A-Za-z0-9._~!$&'()*+,;=-]|<percent>)"),
    ("<path-character>", "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|<percent>)"),
    ("<query-character>", "(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|<percent>)"),
    ("<wide-query>", r"(?:\?<query-character>*)?(?:#<query-character>*)?"),
    ("<authority>", r"//(?:(?:<name-character>|:)*@)?<name-character>*(?::\d*)?(?:/<path-character>*)*"),
    ("<rooted>", "/(?:<path-character>+(?:/<path-character>*)*)?"),
    ("<rootless>", "<path-character>+(?:/<path-character>*)*"),
    ("<relative>", "(?:[A-Za-z0-9._~!$&'()*+,;=@-]|<percent>)+(?:/<path-character>*)*"),
    ("<scheme>", "[A-Za-z][A-Za-z0-9+.-]*:"),
    (
        "<plain-uri>",
        r"[a-z]{2,8}://[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{2,4})?(?:/[A-Za-z0-9._~+@:-]*)*<wide-query>",
    ),
    ("<wide-uri>", "<scheme>(?:<authority>|<rooted>|<rootless>)<wide-query>"),
    ("<beyond>", r"[\u00a1-\u02ff\u0370-\u1fff\u3041-\ud7a3]"),
    ("<name>", "(?:[A-Za-z0-9_]|<percent>)+"),
    ("<variable>", r"<name>(?::[1-9]\d{0,3}|\*)?"),
    ("<pointer>", "(?:/(?:[^~/]|~[01])*)*"),
];

/// Every format that is drawn in a way of its own.
pub(crate) const FORMATS: &[Format] = &[
    Format {
        name: "date-time",
        tiers: &["^<date>T<time>$", "^<any-date>[Tt]<any-time>$"],
        is_whole: false,
        bar: Some(r"^\d{4}-\d\d-\d\d[Tt\s]"),
    },
    Format {
        name: "date",
        tiers: &["^<date>$", "^<any-date>$"],
        is_whole: true,
        bar: Some(r"^\d{4}-\d\d-\d\d$"),
    },
    Format { name: "time", tiers: &["^<time>$", "^<any-time>$"], is_whole: false, bar: Some(r"^\d\d:\d\d:") },
    Format {
        name: "iso-date-time",
        tiers: &["^<date>T<time>$", r"^<any-date>[Tt ](?:<any-time>|<clock>(?:\.\d+)?)$"],
        is_whole: false,
        bar: Some(r"^\d{4}-\d\d-\d\d[Tt\s]"),
    },
    Format {
        name: "iso-time",
        tiers: &["^<time>$", r"^(?:<any-time>|<clock>(?:\.\d+)?)$"],
        is_whole: false,
        bar: Some(r"^\d\d:\d\d:"),
    },
    Format {
        name: "duration",
        tiers: &[
            r"^P(?:[1-9]\d?[WDMY]|[1-9]\d?DT[1-9]\d?H|[1-9]Y[1-9]M|T[1-9]\d?[HMS]|T[1-9]H[1-5]\dM|T[1-9]M[1-5]\dS)$",
            "^P(?:<dates>(?:<times>)?|<times>|[0-9]+W)$",
        ],
        is_whole: true,
        bar: Some("^P"),
    },
    Format {
        name: "email",
        tiers: &[
            r"^<word>(?:[._+-]<word>|\d{1,2})?@<host>$",
            r"^[A-Za-z0-9!#$%&'*+/=?^_{|}~-]{1,30}(?:\.[A-Za-z0-9!#$%&'*+/=?^_{|}~-]{1,30})?@(?:<label>\.){1,3}<label>$",
        ],
        is_whole: false,
        bar: Some("@"),
    },
    Format {
        name: "idn-email",
        tiers: &[
            r"^[a-zéüñ漢字]{3,8}(?:[._+-]<word>|\d{1,2})?@<host>$",
            r"^[A-Za-z0-9!#$%&'*+/=?^_{|}~-]{1,30}(?:\.[A-Za-z0-9!#$%&'*+/=?^_{|}~-]{1,30})?@(?:<label>\.){1,3}<label>$",
        ],
        is_whole: false,
        bar: Some("@"),
    },
    Format {
        name: "hostname",
        tiers: &["^(?:<word>|<host>)$", r"^<label>(?:\.<label>){0,3}$"],
        is_whole: false,
        bar: Some("^[A-Za-z0-9.-]+$"),
    },
    Format {
        name: "idn-hostname",
        tiers: &[r"^[a-zéüñö]{3,8}(?:\.<word>)?\.<ending>$", r"^<label>(?:\.<label>){0,3}$"],
        is_whole: false,
        bar: Some(r"^[^\x00-,\/:-@\[-`{-\x7f]+$"),
    },
    Format {
        name: "ipv4",
        tiers: &[r"^(?:<byte>\.){3}<byte>$"],
        is_whole: true,
        bar: Some(r"^(?:<byte>\.){3}<byte>$"),
    },
    Format {
        name: "ipv6",
        tiers: &[
            "^(?:2001:db8:(?::[0-9a-f]{1,4}){1,4}|fe80:(?::[0-9a-f]{1,4}){1,4}|(?:[0-9a-f]{4}:){7}[0-9a-f]{4})$",
            "^(?:(?:<hex>{1,4}:){7}(?:<hex>{1,4}|:)|(?:<hex>{1,4}:){6}(?::<hex>{1,4}|:)|(?:<hex>{1,4}:){5}(?:(?::<hex>{1,4}){1,2}|:)|(?:<hex>{1,4}:){4}(?:(?::<hex>{1,4}){1,3}|:)|(?:<hex>{1,4}:){3}(?:(?::<hex>{1,4}){1,4}|:)|(?:<hex>{1,4}:){2}(?:(?::<hex>{1,4}){1,5}|:)|<hex>{1,4}:(?:(?::<hex>{1,4}){1,6}|:)|:(?:(?::<hex>{1,4}){1,7}|:)|(?:(?:<hex>{1,4}:){6}|::(?:[Ff]{4}:)?)<byte>(?:\\.<byte>){3})$",
        ],
        is_whole: false,
        bar: Some("^[0-9A-Fa-f:.]{2,45}$"),
    },
    Format {
        name: "uri",
        tiers: &["^https?://<host><path><query>$", "^<plain-uri>$", "^<wide-uri>$"],
        is_whole: false,
        bar: Some("^<scheme>"),
    },
    Format {
        name: "uri-reference",
        tiers: &[
            "^(?:https?://<host><path><query>|/?<word>(?:/<word>){0,2}<query>|#<word>)$",
            "^(?:<plain-uri>|/?[A-Za-z0-9._~-]+(?:/[A-Za-z0-9._~-]*)*<wide-query>)$",
            "^(?:<wide-uri>|(?:<authority>|<rooted>|<relative>)?<wide-query>)$",
        ],
        is_whole: false,
        bar: Some(r"^[^ <>\\^{|}]*$"),
    },
    Format {
        name: "iri",
        tiers: &[
            "^https?://[a-zéüñ]{3,8}\\.<ending>(?:/[a-z0-9éüñ漢字]{2,8}){0,3}<query>$",
            "^<plain-uri>$",
            "^<wide-uri>$",
            "^<scheme>(?://<name-character>*(?:/(?:<path-character>|<beyond>)*)*|(?:<path-character>|<beyond>)+)<wide-query>$",
        ],
        is_whole: false,
        bar: Some("^<scheme>"),
    },
    Format {
        name: "iri-reference",
        tiers: &[
            "^(?:https?://<host>|/[a-z0-9éüñ漢字]{2,8})(?:/[a-z0-9éüñ漢字]{2,8}){0,2}<query>$",
            "^(?:<plain-uri>|/?[A-Za-z0-9._~-]+(?:/[A-Za-z0-9._~-]*)*<wide-query>)$",
            "^(?:<wide-uri>|(?:<authority>|<rooted>|<relative>)?<wide-query>)$",
            "^/(?:[A-Za-z0-9._~-]|<beyond>)(?:<path-character>|<beyond>|/)*<wide-query>$",
        ],
        is_whole: false,
        bar: Some(r"^[^ <>\\^{|}]*$"),
    },
    Format {
        name: "url",
        tiers: &[
            "^https?://<host><path>$",
            r"^(?:https?|ftp)://[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*\.[a-z]{2,}(?::\d{2,5})?(?:/\S*)?$",
        ],
        is_whole: false,
        bar: Some("^[A-Za-z]{3,5}:"),
    },
    Format {
        name: "uri-template",
        tiers: &[
            r"^(?:https?://<host>)?(?:/<word>|/\{<word>\}){1,3}(?:\{[?#]<word>(?:,<word>)?\})?$",
            r#"^(?:[^\x00-\x20"'<>%\\^`{|}\x7f]|<percent>|\{[+#./;?&=,!@|]?<variable>(?:,<variable>)*\})*$"#,
        ],
        is_whole: true,
        bar: Some(r#"^[^ <>"\\^`]*$"#),
    },
    Format {
        name: "uuid",
        tiers: &[
            "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
            "^<hex>{8}-(?:<hex>{4}-){3}<hex>{12}$",
        ],
        is_whole: true,
        bar: Some("<hex>{8}-"),
    },
    Format {
        name: "json-pointer",
        tiers: &[r"^(?:/<word>|/\d){1,3}$", "^<pointer>$"],
        is_whole: true,
        bar: Some("^<pointer>$"),
    },
    Format {
        name: "relative-json-pointer",
        tiers: &[r"^\d(?:#|(?:/<word>|/\d){1,2})$", r"^(?:0|[1-9]\d*)(?:#|<pointer>)$"],
        is_whole: true,
        bar: Some(r"^\d"),
    },
    Format {
        name: "json-pointer-uri-fragment",
        tiers: &["^#(?:/<word>){1,3}$", "^#(?:/(?:[A-Za-z0-9_.!$&'()*+,;:=@-]|<percent>|~[01])*)*$"],
        is_whole: true,
        bar: Some("^#"),
    },
    Format {
        name: "regex",
        tiers: &[
            r"^\^?(?:<word>|\[a-z\][+*]|\\[dw](?:\+|\{[1-4]\})|[a-z]\?|\(<word>\|<word>\)|-|_){1,3}\$?$",
            r"^(?:[^\\^$.*+?()\[\]{}|\r\n]|\\[dDwWsSnrtf.*+?()\[\]{}|/\\^$]|\.[*+?]?|\^|\$|\|)*$",
        ],
        is_whole: false,
        bar: Some("^(?![*+?])"),
    },
    Format {
        name: "byte",
        tiers: &[
            "^(?:[A-Za-z0-9+/]{4}){1,5}(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$",
            "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
        ],
        is_whole: true,
        bar: Some(r"^[A-Za-z0-9+/=]*$|[\n\r\u2028\u2029]"),
    },
    // Names no judge knows, but a reader does. The last tier lets everything pass.
    Format { name: "phone", tiers: &[r"^\+[1-9]\d{9,11}$", ""], is_whole: true, bar: None },
    Format { name: "color", tiers: &["^#[0-9a-f]{6}$", ""], is_whole: true, bar: None },
    Format {
        name: "semver",
        tiers: &[r"^\d\.\d{1,2}\.\d{1,2}(?:-(?:alpha|beta|rc)\.\d)?$", ""],
        is_whole: true,
        bar: None,
    },
    Format {
        name: "http-method",
        tiers: &["^(?:GET|POST|PUT|PATCH|DELETE)$", ""],
        is_whole: true,
        bar: None,
    },
    Format { name: "currency", tiers: &["^(?:EUR|USD|GBP|JPY|CHF|INR)$", ""], is_whole: true, bar: None },
    Format { name: "iso-country-code", tiers: &["^(?:DE|FR|GB|IN|JP|US)$", ""], is_whole: true, bar: None },
    Format { name: "unixtime", tiers: &[r"^1[0-9]{9}$", ""], is_whole: true, bar: None },
];
