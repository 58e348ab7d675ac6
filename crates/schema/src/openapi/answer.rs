//! Which responses of an operation are meant: the main one, those with a status, and what is made of each.

use crate::openapi::media::{is_answered, is_json, is_success};
use crate::openapi::operation::{Answer, Declared, Operation};

impl Operation {
    /// The status of the response to a call for which all goes well, also when nothing can be made for it: the response by
    /// which the operation is judged if that is a success, else the success or the redirection that is declared.
    #[must_use]
    pub fn main_status(&self) -> Option<&str> {
        let judged = self.response().map(|answer| answer.status.as_str());
        let of_class = |class: char| {
            let own = self.declared.iter().map(|declared| declared.status.as_str());
            own.filter(|status| status.starts_with(class)).min()
        };
        judged.filter(|status| is_success(status)).or(of_class('2')).or(of_class('3')).or(judged)
    }

    /// The media types of a request's body that are not made.
    #[must_use]
    pub fn unmade_bodies(&self) -> Vec<String> {
        let made = self.request().map(|body| body.media_type.as_str());
        self.body_types.iter().filter(|name| Some(name.as_str()) != made).cloned().collect()
    }

    /// The media types of a response's body that are not made.
    #[must_use]
    pub fn unmade_answers(&self, status: &str) -> Vec<String> {
        let own = self.declared.iter().filter(|declared| declared.status == status);
        let types = own.flat_map(|declared| &declared.media_types);
        let made = self.answer(status).map(|answer| answer.content.media_type.as_str());
        types.filter(|name| Some(name.as_str()) != made).cloned().collect()
    }

    /// The responses that are declared with a status that is asked for: itself, its class (`4XX`), or `all`.
    pub fn declared_as<'o>(&'o self, asked: &[String]) -> impl Iterator<Item = &'o Declared> {
        let is_asked = move |declared: &&Declared| asked.iter().any(|asked| fits(asked, &declared.status));
        self.declared.iter().filter(is_asked)
    }

    /// The statuses of the responses that are meant: those that are asked for, or the main one and the one by which the operation
    /// is judged, each once.
    #[must_use]
    pub fn meant_statuses(&self, asked: &[String]) -> Vec<&str> {
        if !asked.is_empty() {
            return self.declared_as(asked).map(|one| one.status.as_str()).collect();
        }
        let judged = self.response().map(|answer| answer.status.as_str());
        let mut meant: Vec<&str> = self.main_status().into_iter().chain(judged).collect();
        meant.dedup();
        meant
    }

    /// The statuses of the responses that can be made, those without a body included.
    pub fn made_statuses(&self) -> impl Iterator<Item = &str> {
        let made = self.declared.iter().filter(|one| one.is_bodiless() || self.answer(&one.status).is_some());
        made.map(|declared| declared.status.as_str())
    }

    /// The response that is made for a status: in JSON, or in what leaves it open.
    #[must_use]
    pub fn answer(&self, status: &str) -> Option<&Answer> {
        let own = self.responses.iter().filter(|answer| answer.status == status);
        own.filter(|answer| is_answered(&answer.content.media_type))
            .min_by_key(|answer| (!is_json(&answer.content.media_type), &answer.content.media_type))
    }
}

impl Declared {
    /// Whether it has no body: its status is all there is to make.
    #[must_use]
    pub fn is_bodiless(&self) -> bool {
        self.media_types.is_empty()
    }
}

/// Whether a status is one that is asked for: itself, its class (`4XX`), or `all`.
fn fits(asked: &str, status: &str) -> bool {
    let class = asked.to_ascii_uppercase();
    asked.eq_ignore_ascii_case(status)
        || asked == "all"
        || (class.ends_with("XX") && class.len() == 3 && status.len() == 3 && status.starts_with(&class[..1]))
}
