//! A look at a server without calling any of its tools.

use crate::callable::{Shortage, Stock, shortage};
use crate::mcp::catalog::{Annotations, Catalog};
use crate::mcp::contract::grounds;
use crate::mcp::options::Options;
use crate::mcp::prepare::{Prepared, measurable, prepare};
use crate::mcp::report::ToolStatus;
use crate::mcp::session::{Protocol, ServerInfo, SessionError};
use crate::mcp::supply::{Supply, Target, Use};

/// What a server offers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Survey {
    /// What it says about itself.
    pub server: ServerInfo,
    /// Its tools, in the order of its list.
    pub tools: Vec<SurveyedTool>,
}

/// A tool and whether it could be called now.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SurveyedTool {
    /// Its name.
    pub name: String,
    /// What the server says about it.
    pub description: Option<String>,
    /// What it promises about its effects.
    pub annotations: Annotations,
    /// Whether it promises structured content.
    pub declares_output: bool,
    /// Why it would not be called at all.
    pub status: Option<ToolStatus>,
    /// What is missing for a call with the seeds alone.
    pub shortage: Option<Shortage>,
    /// Targets of its input and output schemas; nothing if they cannot be measured or the tool would not be called.
    pub n_targets: Option<usize>,
    /// What is wrong with its description.
    pub problems: Vec<String>,
}

/// Reads the tools of a server and says which of them can be called with the seeds.
pub async fn survey(target: Target, protocol: Protocol, options: &Options) -> Result<Survey, SessionError> {
    let mut supply = Supply::new(target, protocol, options);
    let mut session = supply.open().await?;
    let server = session.server().clone();
    let listing = session.list_tools().await;
    supply.end(session, Use::Over).await;
    let catalog = Catalog::read(&listing?.tools, &options.limits);
    let Prepared { ready, others, findings, misspelt } = prepare(&catalog, options)?;
    let stock = Stock::new(options.corpus.clone(), &options.numbers, &options.strings);
    let dimensions = &options.coverage.contract.dimensions;
    let (grounds, _) = grounds(&measurable(&catalog, &ready), dimensions);
    let tools = catalog.tools.iter().map(|tool| {
        let ground = grounds.iter().flatten().find(|ground| ground.name == tool.name);
        let known = ready.iter().find(|known| known.name == tool.name);
        let odd = findings.iter().filter(|finding| finding.tool.as_ref() == Some(&tool.name));
        let slips = misspelt.iter().filter(|(name, _)| *name == tool.name).map(|(_, words)| words.clone());
        let problems = tool.problems.iter().map(ToString::to_string).chain(slips);
        SurveyedTool {
            name: tool.name.clone(),
            description: tool.description.clone(),
            annotations: tool.annotations,
            declares_output: tool.declares_output,
            status: others.iter().find(|(name, _)| *name == tool.name).map(|(_, status)| *status),
            shortage: known.and_then(|known| shortage(&known.blueprint, &stock, options.sourcing)),
            n_targets: ground.map(|ground| ground.n_targets(dimensions)),
            problems: problems.chain(odd.map(|finding| finding.message.clone())).collect(),
        }
    });
    Ok(Survey { server, tools: tools.collect() })
}
