//! The transport over Streamable HTTP: every body and every event passes the tap, and nothing is followed elsewhere.

mod body;
mod event;

use std::fmt;
use std::sync::Arc;

use futures_util::stream::BoxStream;
use http::header::{ACCEPT, CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, RequestId};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;

use crate::mcp::limits::Limits;
use crate::mcp::transport::anomaly::AnomalyKind;
use crate::mcp::transport::frame::Frame;
use crate::mcp::transport::http::body::{BodyEnd, read_body};
use crate::mcp::transport::http::event::events;
use crate::mcp::transport::tap::Tap;

/// rmcp's trait fixes this type; the order of headers means nothing.
#[expect(clippy::disallowed_types, reason = "the signature of rmcp's trait names it")]
pub(crate) type Headers = std::collections::HashMap<HeaderName, HeaderValue>;

/// A server that speaks Streamable HTTP.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpServer {
    /// The endpoint, with scheme `http` or `https`.
    pub url: String,
    /// A bearer token, sent as `Authorization`.
    pub bearer: Option<String>,
    /// Further headers for every request.
    pub headers: Vec<(String, String)>,
}

impl HttpServer {
    /// An endpoint without credentials.
    #[must_use]
    pub fn new(url: impl Into<String>) -> HttpServer {
        HttpServer { url: url.into(), bearer: None, headers: Vec::new() }
    }
}

impl fmt::Debug for HttpServer {
    /// Shows which secrets there are, not what they say.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HttpServer { url, bearer, headers } = self;
        let names: Vec<&String> = headers.iter().map(|(name, _)| name).collect();
        let has_bearer = bearer.is_some();
        write!(formatter, "HttpServer {{ url: {url:?}, has_bearer: {has_bearer}, headers: {names:?} }}")
    }
}

/// Why an HTTP exchange brought no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("{0}")]
    Unreachable(String),
    #[error("the server redirects to {to:?}; redirects are not followed, use the final address")]
    Redirect { to: String },
    #[error("the server answered with HTTP status {0}")]
    Status(u16),
    #[error("the body of the answer is no message: {0}")]
    NoMessage(String),
}

pub(crate) type Failure = StreamableHttpError<HttpError>;

/// An HTTP client with a tap.
#[derive(Clone)]
pub(crate) struct TappedClient {
    client: reqwest::Client,
    limits: Arc<Limits>,
    tap: Tap,
}

impl TappedClient {
    /// A client for one session with `server`.
    pub(crate) fn new(server: &HttpServer, limits: &Limits, tap: Tap) -> Result<TappedClient, String> {
        // Only the first call in a process can win; whatever provider is installed then will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url = reqwest::Url::parse(&server.url).map_err(|error| error.to_string())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("it begins with {:?}; use http or https", format!("{}:", url.scheme())));
        }
        let mut builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(limits.start)
            .user_agent(concat!("probity/", env!("CARGO_PKG_VERSION")));
        if matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| error.to_string())?;
        Ok(TappedClient { client, limits: Arc::new(limits.clone()), tap })
    }

    fn request(
        &self,
        method: reqwest::Method,
        uri: &str,
        session: Option<&str>,
        bearer: Option<String>,
        headers: Headers,
    ) -> reqwest::RequestBuilder {
        let mut request = self.client.request(method, uri).headers(headers.into_iter().collect());
        if let Some(session) = session {
            request = request.header("mcp-session-id", session);
        }
        if let Some(bearer) = bearer {
            request = request.bearer_auth(bearer);
        }
        request
    }

    /// Turns every status that is no success into an error, and notes what is irregular about it.
    fn judge_status(&self, response: &reqwest::Response, has_session: bool) -> Result<(), Failure> {
        let status = response.status();
        let header = |name: HeaderName| {
            response.headers().get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        if status.is_redirection() {
            let to = header(LOCATION).unwrap_or_default();
            let seen = format!("HTTP {status}\nLocation: {to}");
            self.tap.observe(AnomalyKind::Redirect, seen.as_bytes(), format!("a redirect to {to:?}"));
            return Err(StreamableHttpError::Client(HttpError::Redirect { to }));
        }
        if status == StatusCode::UNAUTHORIZED {
            let challenge = header(WWW_AUTHENTICATE).unwrap_or_else(|| "no challenge".to_owned());
            return Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)));
        }
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        Ok(())
    }

    async fn body(&self, response: reqwest::Response) -> Result<Vec<u8>, Failure> {
        let status = response.status();
        let limit = self.limits.message_bytes;
        match read_body(response, limit, self.limits.kept_bytes, self.limits.body).await {
            BodyEnd::Whole(bytes) => Ok(bytes),
            BodyEnd::TooLong(excerpt) => {
                self.tap.received(Frame::TooLong(excerpt));
                Err(no_message("it is too long"))
            }
            BodyEnd::CutOff(bytes, reason) => {
                self.tap.observe(AnomalyKind::CutOff, &bytes, format!("the body broke off: {reason}"));
                Err(no_message("it broke off"))
            }
            BodyEnd::Slow(bytes) => {
                let seconds = self.limits.body.as_secs_f32();
                let detail = format!("after {seconds} s the body of HTTP {status} had {} bytes", bytes.len());
                self.tap.observe(AnomalyKind::SlowBody, &bytes, detail);
                Err(no_message("it did not end in time"))
            }
        }
    }
}

/// Whether a body is meant as a JSON-RPC message; only then is it judged as one when the status is that of a failure.
fn is_message(body: &[u8]) -> bool {
    let value: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_slice(body);
    value.is_ok_and(|members| members.contains_key("jsonrpc"))
}

/// Why an exchange failed, in words of ours.
pub(crate) fn in_words(failure: &Failure) -> String {
    match failure {
        StreamableHttpError::Client(error) => error.to_string(),
        StreamableHttpError::AuthRequired(required) => {
            format!("HTTP 401, the server wants authorization ({})", required.www_authenticate_header)
        }
        StreamableHttpError::SessionExpired => "HTTP 404, the server does not know the session".to_owned(),
        other => other.to_string(),
    }
}

fn no_message(reason: &str) -> Failure {
    StreamableHttpError::Client(HttpError::NoMessage(reason.to_owned()))
}

#[expect(clippy::needless_pass_by_value, reason = "it is the mapping function of many results")]
fn unreachable(error: reqwest::Error) -> Failure {
    let mut reason = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        reason = format!("{reason}: {cause}");
        source = cause.source();
    }
    StreamableHttpError::Client(HttpError::Unreachable(reason))
}

/// The id a message waits under, if it is a request of ours.
fn awaited_id(message: &ClientJsonRpcMessage) -> Option<i64> {
    match message {
        ClientJsonRpcMessage::Request(request) => match request.id {
            RequestId::Number(id) => Some(id),
            RequestId::String(_) => None,
        },
        ClientJsonRpcMessage::Notification(_)
        | ClientJsonRpcMessage::Response(_)
        | ClientJsonRpcMessage::Error(_) => None,
    }
}

impl StreamableHttpClient for TappedClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let text = serde_json::to_string(&message)?;
        self.tap.sent(&message, &text);
        let awaited = awaited_id(&message);
        let is_discover = matches!(
            &message,
            ClientJsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::DiscoverRequest(_))
        );
        let request = self
            .request(reqwest::Method::POST, &uri, session_id.as_deref(), auth_header, custom_headers)
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .body(text);
        let response = request.send().await.map_err(unreachable)?;
        self.judge_status(&response, session_id.is_some())?;
        let status = response.status();
        let session = response.headers().get("mcp-session-id").and_then(|value| value.to_str().ok());
        let session = session.map(str::to_owned);
        let Some(awaited) = awaited else {
            // Nothing is due in return for a notification or an answer; a body is let go unread.
            return if status.is_success() {
                Ok(StreamableHttpPostResponse::Accepted)
            } else {
                let detail = format!("HTTP {status} for a message that needs no answer");
                self.tap.observe(AnomalyKind::HttpStatus, format!("HTTP {status}").as_bytes(), detail);
                Err(StreamableHttpError::Client(HttpError::Status(status.as_u16())))
            };
        };
        let content_type = response.headers().get(CONTENT_TYPE);
        let content_type = content_type.map(|value| String::from_utf8_lossy(value.as_bytes()).to_lowercase());
        match content_type.as_deref() {
            Some(kind) if status.is_success() && kind.starts_with("text/event-stream") => {
                let stream = events(response, self.tap.clone(), &self.limits, Some(awaited));
                Ok(StreamableHttpPostResponse::Sse(stream, session))
            }
            kind => {
                let is_json = kind.as_ref().is_some_and(|kind| kind.starts_with("application/json"));
                let body = self.body(response).await?;
                if is_json && (status.is_success() || is_message(&body)) {
                    return match self.tap.received(Frame::Line(body)) {
                        Some(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
                        None if status.is_success() => Err(no_message("it does not answer the request")),
                        None => Err(StreamableHttpError::Client(HttpError::Status(status.as_u16()))),
                    };
                }
                if status.is_success() {
                    let kind = kind.map_or_else(|| "no content type".to_owned(), |kind| format!("{kind:?}"));
                    let detail = format!("HTTP {status} with {kind} instead of JSON or an event stream");
                    self.tap.observe(AnomalyKind::ContentType, &body, detail);
                    return Err(no_message("it is of another content type"));
                }
                // A server that does not know our first question has done nothing wrong by saying so.
                if !(is_discover && status.is_client_error()) {
                    let detail = format!("HTTP {status} without a JSON-RPC error");
                    self.tap.observe(AnomalyKind::HttpStatus, &body, detail);
                }
                Err(StreamableHttpError::Client(HttpError::Status(status.as_u16())))
            }
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Failure> {
        let request =
            self.request(reqwest::Method::DELETE, &uri, Some(&session_id), auth_header, custom_headers);
        // A server may refuse to end sessions on demand, so the status does not matter.
        request.send().await.map_err(unreachable).map(drop)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let mut request = self
            .request(reqwest::Method::GET, &uri, session_id.as_deref(), auth_header, custom_headers)
            .header(ACCEPT, "text/event-stream");
        if let Some(last_event_id) = last_event_id {
            request = request.header("last-event-id", last_event_id);
        }
        let response = request.send().await.map_err(unreachable)?;
        if !response.status().is_success() {
            // The stream of unasked messages is optional; most servers answer 405.
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        Ok(events(response, self.tap.clone(), &self.limits, None))
    }
}
