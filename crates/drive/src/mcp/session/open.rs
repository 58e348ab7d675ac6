//! Opening a session: start or connect, shake hands, and say plainly why that did not work.

use std::sync::Arc;

use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion, ServerPeerInfo};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, Peer, RoleClient, RunningService, serve_client_with_lifecycle,
};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransportConfig, StreamableHttpClientWorker, StreamableHttpError,
};
use rmcp::transport::{Transport, WorkerTransport};
use tokio::time::{Instant, sleep_until};

use crate::mcp::limits::Limits;
use crate::mcp::session::{Opening, Protocol, Server, ServerInfo, Session, SessionError};
use crate::mcp::transport::frame::Frames;
use crate::mcp::transport::http::{Headers, HttpError, TappedClient, in_words};
use crate::mcp::transport::process::Process;
use crate::mcp::transport::stdio::StdioTransport;
use crate::mcp::transport::tap::Tap;
use crate::mcp::transport::{HttpServer, StdioServer};

/// The newest revision that begins with `initialize`.
const WITH_HANDSHAKE: &str = "2025-11-25";
/// The newest revision, which begins with `server/discover`.
const WITHOUT_HANDSHAKE: &str = "2026-07-28";

pub(crate) async fn open(
    server: &Server,
    protocol: &Protocol,
    limits: &Limits,
) -> Result<Session, SessionError> {
    match protocol {
        Protocol::Revision(revision) => open_with(server, revision, limits).await,
        Protocol::Negotiate => {
            let refusal = match open_with(server, WITH_HANDSHAKE, limits).await {
                Err(
                    error
                    @ (SessionError::Refused { .. } | SessionError::HttpStatus { status: 400..500, .. }),
                ) => error,
                other => return other,
            };
            // A fresh connection: what the refused question did to the old one is not the server's fault.
            open_with(server, WITHOUT_HANDSHAKE, limits).await.map_err(|second| match second {
                SessionError::Refused { .. } | SessionError::HttpStatus { .. } => refusal,
                other => other,
            })
        }
    }
}

pub(crate) fn attach(peer: Peer<RoleClient>, limits: &Limits) -> Session {
    let info = peer.peer_info();
    session_of(peer, None, info.as_deref(), limits)
}

async fn open_with(server: &Server, revision: &str, limits: &Limits) -> Result<Session, SessionError> {
    let tap = Tap::new(limits);
    match server {
        Server::Stdio(server) => open_stdio(server, revision, limits, tap).await,
        Server::Http(server) => open_http(server, revision, limits, tap).await,
    }
}

async fn open_stdio(
    server: &StdioServer,
    revision: &str,
    limits: &Limits,
    tap: Tap,
) -> Result<Session, SessionError> {
    let (mut process, stdin, stdout) =
        Process::start(server, limits).map_err(|error| SessionError::NotStarted {
            program: server.program.to_string_lossy().into_owned(),
            reason: error.to_string(),
        })?;
    let frames = Frames::new(stdout, limits.message_bytes, limits.kept_bytes).veiling(process.mark().clone());
    let transport = StdioTransport::new(stdin, frames, process.exit_watch(), limits.settle, tap.clone());
    match shake_hands(transport, revision, limits, &tap).await {
        Ok(running) => Ok(tapped_session(running, tap, Some(process), limits)),
        Err(failure) => {
            let exit = match failure {
                // Only then did the process have the first word; in the other cases we have hung up on it.
                Failure::Ended(_) => process.exit_within(limits.settle).await,
                Failure::Rpc { .. } | Failure::TimedOut | Failure::Http(..) | Failure::Other(_) => None,
            };
            let stderr_tail = process.stderr_tail(limits.settle).await;
            let anomalies = tap.take_anomalies(u64::MAX);
            Err(match (failure, exit) {
                (_, Some(exit)) => SessionError::Exited { exit, stderr_tail, anomalies },
                (Failure::Rpc { code, message }, None) => SessionError::Refused { code, message },
                (Failure::TimedOut, None) => {
                    SessionError::StartTimedOut { limit: limits.start, stderr_tail, anomalies }
                }
                (Failure::Ended(reason) | Failure::Http(_, reason) | Failure::Other(reason), None) => {
                    SessionError::NotMcp { reason, stderr_tail, anomalies }
                }
            })
        }
    }
}

async fn open_http(
    server: &HttpServer,
    revision: &str,
    limits: &Limits,
    tap: Tap,
) -> Result<Session, SessionError> {
    let url = server.url.clone();
    let bad_address = |reason: String| SessionError::BadAddress { url: server.url.clone(), reason };
    let client = TappedClient::new(server, limits, tap.clone()).map_err(bad_address)?;
    let mut headers = Headers::new();
    for (name, value) in &server.headers {
        let header = http::HeaderName::try_from(name).map_err(|error| error.to_string());
        let value = http::HeaderValue::try_from(value).map_err(|error| error.to_string());
        let (header, value) = header
            .and_then(|header| Ok((header, value?)))
            .map_err(|reason| bad_address(format!("the header {name:?} cannot be sent: {reason}")))?;
        headers.insert(header, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    config.auth_header.clone_from(&server.bearer);
    config.custom_headers = headers;
    // A lost session is a fact about the server; opening another behind our back would hide it.
    config.reinit_on_expired_session = false;
    config.max_sse_event_size = limits.message_bytes;
    let transport = WorkerTransport::spawn(StreamableHttpClientWorker::new(client, config));
    match shake_hands(transport, revision, limits, &tap).await {
        Ok(running) => Ok(tapped_session(running, tap, None, limits)),
        Err(failure) => {
            let anomalies = tap.take_anomalies(u64::MAX);
            let stderr_tail = String::new();
            Err(match failure {
                Failure::Rpc { code, message } => SessionError::Refused { code, message },
                Failure::TimedOut => {
                    SessionError::StartTimedOut { limit: limits.start, stderr_tail, anomalies }
                }
                Failure::Http(error, reason) => match *error {
                    StreamableHttpError::Client(HttpError::Redirect { to }) => {
                        SessionError::Redirected { url, to }
                    }
                    StreamableHttpError::Client(HttpError::Status(status)) => {
                        SessionError::HttpStatus { url, status }
                    }
                    StreamableHttpError::Client(HttpError::Unreachable(reason)) => {
                        SessionError::Unreachable { url, reason }
                    }
                    StreamableHttpError::AuthRequired(required) => {
                        SessionError::NeedsAuthorization { url, challenge: required.www_authenticate_header }
                    }
                    _ => SessionError::NotMcp { reason, stderr_tail, anomalies },
                },
                Failure::Ended(reason) | Failure::Other(reason) => {
                    SessionError::NotMcp { reason, stderr_tail, anomalies }
                }
            })
        }
    }
}

/// Why there was no handshake, before anyone asked how the process is.
enum Failure {
    Rpc { code: i64, message: String },
    TimedOut,
    Http(Box<StreamableHttpError<HttpError>>, String),
    Ended(String),
    Other(String),
}

/// Runs the handshake; a broken answer to it shortens the wait as it does for calls.
async fn shake_hands<T: Transport<RoleClient> + 'static>(
    transport: T,
    revision: &str,
    limits: &Limits,
    tap: &Tap,
) -> Result<RunningService<RoleClient, ClientConfig>, Failure> {
    let version: ProtocolVersion = serde_json::from_value(revision.into())
        .map_err(|error| Failure::Other(format!("the revision {revision:?} cannot be asked for: {error}")))?;
    let lifecycle = if version.has_initialize() {
        ClientLifecycleMode::Initialize
    } else {
        ClientLifecycleMode::Discover { preferred_versions: vec![version.clone()] }
    };
    let config = myself(version);
    let mut deadline = Instant::now() + limits.start;
    let mut n_suspects = 0;
    let handshake = serve_client_with_lifecycle(config, transport, lifecycle);
    tokio::pin!(handshake);
    loop {
        tokio::select! {
            biased;
            result = &mut handshake => return result.map_err(failure_of),
            () = sleep_until(deadline) => {
                return Err(if n_suspects > 0 {
                    Failure::Other("the answer cannot be read".to_owned())
                } else {
                    Failure::TimedOut
                });
            }
            () = tap.suspicion(n_suspects) => {
                n_suspects = tap.n_suspects();
                deadline = deadline.min(Instant::now() + limits.settle);
            }
        }
    }
}

/// What we say about ourselves.
pub(crate) fn myself(version: ProtocolVersion) -> ClientConfig {
    let me = Implementation::new("probity", env!("CARGO_PKG_VERSION"));
    ClientConfig::new(ClientCapabilities::default(), me).with_protocol_version(version)
}

fn failure_of(error: ClientInitializeError) -> Failure {
    let reason = error.to_string();
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            Failure::Rpc { code: i64::from(error.code.0), message: error.message.into_owned() }
        }
        ClientInitializeError::TransportError { error, .. } => match error.error.downcast() {
            Ok(http) => {
                let reason = in_words(&http);
                Failure::Http(http, reason)
            }
            Err(_) => Failure::Ended(reason),
        },
        ClientInitializeError::ConnectionClosed(_) => Failure::Ended(reason),
        ClientInitializeError::ExpectedInitResult(_) => {
            Failure::Other("the result is not the one the handshake requires".to_owned())
        }
        _ => Failure::Other(reason),
    }
}

fn tapped_session(
    running: RunningService<RoleClient, ClientConfig>,
    tap: Tap,
    process: Option<Process>,
    limits: &Limits,
) -> Session {
    let peer = running.peer().clone();
    let info: Option<Arc<ServerPeerInfo>> = peer.peer_info();
    let mut session = session_of(peer, Some(running), info.as_deref(), limits);
    session.tap = Some(tap);
    session.process = process;
    let (records, anomalies) = session.take_wire();
    session.opening = Opening { records, anomalies };
    session
}

fn session_of(
    peer: Peer<RoleClient>,
    running: Option<RunningService<RoleClient, ClientConfig>>,
    info: Option<&ServerPeerInfo>,
    limits: &Limits,
) -> Session {
    let tools = info.and_then(|info| info.capabilities.tools.as_ref());
    let identity = info.and_then(|info| info.server_info.as_ref());
    let server = ServerInfo {
        name: identity.map(|identity| identity.name.clone()),
        version: identity.map(|identity| identity.version.clone()),
        protocol: info.map(|info| info.protocol_version.to_string()).unwrap_or_default(),
        has_tools: tools.is_some(),
        tells_list_changes: tools.is_some_and(|tools| tools.list_changed == Some(true)),
    };
    Session {
        peer,
        running,
        tap: None,
        process: None,
        limits: limits.clone(),
        server,
        opening: Opening::default(),
        n_calls: 0,
        n_inputs_declined: 0,
        first_record: 0,
        answered_at: None,
        n_requests: 0,
        requests: Vec::new(),
        n_list_changed_known: 0,
        n_list_changed_at_answer: 0,
    }
}
