//! Replaying a finding from its file, on fresh servers.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use crate::mcp::catalog::Catalog;
use crate::mcp::cause::cause;
use crate::mcp::finding::Finding;
use crate::mcp::judge::Judge;
use crate::mcp::look::calls;
use crate::mcp::options::Options;
use crate::mcp::play::play;
use crate::mcp::prepare::prepare;
use crate::mcp::report::{CallReport, FindingReport};
use crate::mcp::script::{REPLAY_FORMAT, Replay, ReplayFinding, ReplayServer};
use crate::mcp::session::{Protocol, Server, SessionError};
use crate::mcp::supply::{Supply, Target, Use};

impl Replay {
    /// A finding as it is written down.
    #[must_use]
    pub fn of(finding: &FindingReport, server: &Server, call_limit: Duration) -> Replay {
        let server = match server {
            Server::Stdio(server) => {
                let words = std::iter::once(&server.program).chain(&server.args);
                let names = server.env.iter().map(|(name, _)| name.to_string_lossy().into_owned());
                let names: BTreeSet<String> = names.collect();
                ReplayServer::Stdio {
                    command: words.map(|word| word.to_string_lossy().into_owned()).collect(),
                    cwd: server.cwd.as_ref().map(|cwd| cwd.display().to_string()),
                    env: names.into_iter().collect(),
                }
            }
            Server::Http(server) => ReplayServer::Http { url: server.url.clone() },
        };
        Replay {
            format: REPLAY_FORMAT.to_owned(),
            server,
            finding: ReplayFinding {
                code: finding.code.to_owned(),
                tool: finding.tool.clone(),
                message: finding.message.clone(),
                cause: finding.cause.clone(),
            },
            call_limit_ms: u64::try_from(call_limit.as_millis()).unwrap_or(u64::MAX),
            calls: finding.script(),
        }
    }
}

/// What came of a replay.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Replayed {
    /// How often the calls were made.
    pub n_replays: u32,
    /// How often they showed the finding.
    pub n_shown: u32,
    /// The finding as it was shown last.
    pub finding: Option<Finding>,
    /// Other things that were found on the way, of the last replay.
    pub others: Vec<Finding>,
    /// The calls and what came of them the last time.
    pub calls: Vec<CallReport>,
}

/// Makes the calls of a replay so often, each time in a session of its own.
pub async fn replay(
    target: Target,
    protocol: Protocol,
    options: &Options,
    replay: &Replay,
    n_replays: u32,
) -> Result<Replayed, SessionError> {
    let mut supply = Supply::new(target, protocol, options);
    let mut session = supply.open().await?;
    let listing = session.list_tools().await?;
    let protocol = session.server().protocol.clone();
    supply.end(session, Use::Usable).await;
    let catalog = Rc::new(Catalog::read(&listing.tools, &options.limits));
    // A call of a tool that is not there would show nothing, and pass for a fault that was mended.
    if let Some(call) = replay.calls.iter().find(|call| catalog.tool(&call.tool).is_none()) {
        return Err(SessionError::unknown_tool(&call.tool, &catalog));
    }
    let judge = Judge {
        about_tools: prepare(&catalog, options)?.findings,
        catalog,
        protocol,
        error_policy: options.error_policy.clone(),
        levels: options.levels.clone(),
    };
    let mut replayed =
        Replayed { n_replays, n_shown: 0, finding: None, others: Vec::new(), calls: Vec::new() };
    for _ in 0..n_replays {
        let played = play(&mut supply, &judge, &replay.calls, &|_| {}).await?;
        let (wanted, others): (Vec<Finding>, Vec<Finding>) =
            played.findings.into_iter().partition(|finding| cause(finding) == replay.finding.cause);
        replayed.n_shown += u32::from(!wanted.is_empty());
        replayed.finding = wanted.into_iter().next().or(replayed.finding);
        replayed.others = others;
        replayed.calls = calls(&replay.calls, &played.exchanges);
    }
    supply.finish().await;
    Ok(replayed)
}
