//! One request and the wait for its answer, with every way the wait can end.

use rmcp::model::{
    ClientConfig, ClientJsonRpcMessage, ClientRequest, GetMeta, NumberOrString, ProgressToken,
    ProtocolVersion, RequestId, ServerResult,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient, ServiceError};
use serde_json::Value;
use tokio::time::{Instant, sleep_until, timeout};

use crate::mcp::outcome::Outcome;
use crate::mcp::session::{Session, open};
use crate::mcp::transport::http::{Failure, in_words};
use crate::mcp::transport::tap::{Answer, Tap};
use crate::mcp::transport::{AnomalyKind, Body};

/// How waiting ended.
enum Wait {
    Answer(Box<Result<ServerResult, ServiceError>>),
    Limit { has_suspect: bool },
}

/// Sends a request; any result at all is `Answered`.
pub(crate) async fn request(session: &mut Session, request: ClientRequest) -> Outcome {
    session.n_requests += 1;
    let n_suspects = session.tap.as_ref().map(Tap::n_suspects).unwrap_or_default();
    let sent = session.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
    session.answered_at = None;
    let mut handle = match sent {
        Ok(handle) => handle,
        Err(error) => return gone(session, &error).await,
    };
    let id = match handle.id {
        RequestId::Number(id) => id,
        RequestId::String(_) => unreachable!("rmcp numbers its requests"),
    };
    session.requests.push(id);
    match wait(session, &mut handle, n_suspects).await {
        Wait::Answer(answer) => {
            let taken = session.tap.as_ref().and_then(|tap| tap.take_answer(id));
            match (taken, *answer) {
                (Some(Answer { body, record, n_list_changed }), _) => {
                    session.answered_at = Some(record);
                    session.n_list_changed_at_answer = n_list_changed;
                    outcome_of(body)
                }
                (None, Ok(result)) => outcome_of(Body::Result(value_of(result))),
                (None, Err(ServiceError::McpError(error))) => Outcome::RpcError {
                    code: i64::from(error.code.0),
                    message: error.message.into_owned(),
                    data: error.data,
                },
                (None, Err(error)) => gone(session, &error).await,
            }
        }
        Wait::Limit { has_suspect } => {
            let reason = Some("no answer within the time limit".to_owned());
            // A server that does not read blocks this message too; it is only a courtesy.
            let _ = timeout(session.limits.settle, handle.cancel(reason)).await;
            if has_suspect { Outcome::Garbage } else { Outcome::TimedOut { after: session.limits.call } }
        }
    }
}

/// Whether a request did not go out because the server was gone.
pub(crate) fn is_unsent(session: &Session, n_issued_before: Option<i64>, outcome: &Outcome) -> bool {
    outcome.is_gone() && n_issued_before == session.n_issued()
}

/// Notes a request that did not go out because the server was gone: whether it still does is chance, and the transcript has to
/// be the same every time.
pub(crate) fn note_unsent(session: &Session, mut request: ClientRequest) {
    let Some(tap) = &session.tap else { return };
    let meta = request.get_meta_mut();
    let protocol: Option<ProtocolVersion> =
        serde_json::from_value(session.server.protocol.clone().into()).ok();
    // Without a handshake, every request says who asks.
    if let Some(protocol) = protocol.filter(|protocol| !protocol.has_initialize()) {
        let ClientConfig { capabilities, client_info, .. } = open::myself(protocol.clone());
        meta.set_protocol_version(protocol);
        meta.set_client_info(client_info);
        meta.set_client_capabilities(capabilities);
    }
    meta.set_progress_token(ProgressToken(NumberOrString::Number(session.n_requests - 1)));
    let message = ClientJsonRpcMessage::request(request, RequestId::Number(tap.n_issued()));
    if let Ok(text) = serde_json::to_string(&message) {
        tap.sent(&message, &text);
    }
}

/// Waits for the answer; a message that looks like a broken one shortens the wait.
async fn wait(session: &Session, handle: &mut RequestHandle<RoleClient>, mut n_suspects: u64) -> Wait {
    let mut deadline = Instant::now() + session.limits.call;
    let mut has_suspect = false;
    loop {
        let suspicion = async {
            match &session.tap {
                Some(tap) => tap.suspicion(n_suspects).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            answer = &mut handle.rx => {
                return Wait::Answer(Box::new(answer.unwrap_or(Err(ServiceError::TransportClosed))));
            }
            () = sleep_until(deadline) => return Wait::Limit { has_suspect },
            () = suspicion => {
                let tap = session.tap.as_ref().expect("only a tap raises suspicion");
                if tap.is_flooded() {
                    return Wait::Limit { has_suspect: true };
                }
                has_suspect = true;
                n_suspects = tap.n_suspects();
                deadline = deadline.min(Instant::now() + session.limits.settle);
            }
        }
    }
}

/// The connection is of no use any more: says whether that is a crash, a fault on the wire, or just an end.
async fn gone(session: &mut Session, error: &ServiceError) -> Outcome {
    let settle = session.limits.settle;
    if let Some(process) = &mut session.process
        && let Some(exit) = process.exit_within(settle).await
    {
        let stderr_tail = process.stderr_tail(settle).await;
        return Outcome::Crashed { exit, stderr_tail };
    }
    if http_failure(error).is_some_and(|failure| matches!(failure, Failure::SessionExpired)) {
        return Outcome::Expired;
    }
    // Over pipes, what came before the end may be about the call before; only a message that was cut off is about this one.
    let is_broken =
        |kind| session.process.is_none() || matches!(kind, AnomalyKind::CutOff | AnomalyKind::TooLong);
    let has_anomaly = session.tap.as_ref().is_some_and(|tap| tap.has_anomaly(is_broken));
    if has_anomaly { Outcome::Garbage } else { Outcome::Closed { reason: reason(error) } }
}

/// What rmcp says, without the names of its types.
fn reason(error: &ServiceError) -> String {
    match (http_failure(error), error) {
        (Some(failure), _) => in_words(failure),
        (None, ServiceError::TransportSend(error)) => error.error.to_string(),
        (None, other) => other.to_string(),
    }
}

fn http_failure(error: &ServiceError) -> Option<&Failure> {
    match error {
        ServiceError::TransportSend(error) => error.error.downcast_ref(),
        _ => None,
    }
}

fn outcome_of(body: Body) -> Outcome {
    match body {
        Body::Result(result) => Outcome::Answered { result },
        Body::Error(error) => match error.get("code").and_then(Value::as_i64) {
            Some(code) => Outcome::RpcError {
                code,
                message: error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
                data: error.get("data").cloned(),
            },
            // The tap has already objected to an error without a code.
            None => Outcome::Garbage,
        },
    }
}

fn value_of(result: ServerResult) -> Value {
    match result {
        ServerResult::CustomResult(custom) => custom.0,
        typed => serde_json::to_value(typed).unwrap_or(Value::Null),
    }
}
