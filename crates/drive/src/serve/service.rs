//! The server itself: it lists its tools and hands each call to a worker.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig, Tool as Listed, ToolAnnotations,
};
use rmcp::service::{QuitReason, RequestContext, RoleServer, ServerInitializeError, serve_server};
use rmcp::transport::io::stdio_pipes;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use crate::mcp::StdioServer;
use crate::serve::tool::{Effect, TOOLS, Tool, find};
use crate::serve::wire::Wire;
use crate::serve::work::{Answer, Request};
use crate::serve::worker::ask;

/// How Probity serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServeOptions {
    /// How long a call that computes may take; one that tests a server says so itself.
    pub time_limit: Duration,
    /// Calls that are worked on at once; others wait.
    pub n_workers: usize,
}

impl Default for ServeOptions {
    fn default() -> Self {
        ServeOptions { time_limit: Duration::from_secs(20), n_workers: 4 }
    }
}

/// Why there is no server, or no longer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The client did not begin as MCP asks.
    #[error("the client did not begin a session: {reason}; is standard input an MCP client?")]
    NoSession {
        /// What came instead.
        reason: String,
    },
    /// The session was broken off.
    #[error("the session was broken off: {reason}")]
    BrokenOff {
        /// What happened.
        reason: String,
    },
}

/// Serves on standard input and output until the input is closed. Each call is done by a program that is started as `worker`
/// says: it reads one request from standard input to the end, and prints what [`work`](crate::serve::work) makes of it.
pub async fn serve(worker: StdioServer, options: ServeOptions) -> Result<(), ServeError> {
    let ServeOptions { time_limit, n_workers } = options;
    let service = Service { worker, time_limit, desk: Arc::new(Semaphore::new(n_workers.max(1))) };
    let (input, output) = stdio_pipes();
    let running = match serve_server(service, Wire::new(input, output)).await {
        Ok(running) => running,
        // A client that closes before it says anything wants nothing.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(ServeError::NoSession { reason: error.to_string() }),
    };
    match running.waiting().await {
        Ok(QuitReason::Closed | QuitReason::Cancelled) => Ok(()),
        Ok(reason) => Err(ServeError::BrokenOff { reason: format!("{reason:?}") }),
        Err(error) => Err(ServeError::BrokenOff { reason: io::Error::from(error).to_string() }),
    }
}

struct Service {
    worker: StdioServer,
    time_limit: Duration,
    desk: Arc<Semaphore>,
}

const INSTRUCTIONS: &str = "Probity turns contracts into tests. Use generate for valid test data of a JSON Schema (coverage \
    \"guided\" for few instances that show everything), measure_coverage to see what existing fixtures miss, and test_server to find out \
    whether an MCP server keeps its own contract.";

impl ServerHandler for Service {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info = ServerConfig::new(capabilities).with_instructions(INSTRUCTIONS);
        info.server_info = Implementation::new("probity", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(listed).collect()))
    }

    /// Requests whose params have another shape than their method asks for come here, like those of unknown methods.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, .. } = request;
        if method == "tools/call" {
            let message = "tools/call wants params with \"name\", a string, and \"arguments\", an object";
            return Err(ErrorData::invalid_params(message, None));
        }
        let message = format!("there is no method {method:?}; this server has tools only");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = find(&request.name) else {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            let message = format!("there is no tool {:?}; there are {}", request.name, known.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let limit = tool.limit(self.time_limit, &arguments);
        let request = Request { tool: tool.name.to_owned(), arguments };
        let answer = async {
            let _place = self.desk.acquire().await;
            ask(&self.worker, tool, &request, limit).await
        };
        // A call that nobody waits for any more is given up at once, with its worker.
        let answer = tokio::select! {
            answer = answer => answer,
            () = context.ct.cancelled() => Answer::Failed("the call was cancelled".to_owned()),
        };
        let result = match answer {
            Answer::Done(value) => CallToolResult::structured(value),
            Answer::Failed(message) => CallToolResult::error(vec![ContentBlock::text(message)]),
        };
        Ok(result.into())
    }
}

/// A tool as the list shows it.
fn listed(tool: &Tool) -> Listed {
    let Tool { name, title, description, effect, input, output, run: _ } = tool;
    let annotations = match effect {
        Effect::None => {
            ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false)
        }
        Effect::Anything => {
            ToolAnnotations::new().read_only(false).destructive(true).idempotent(false).open_world(true)
        }
    };
    Listed::new(*name, *description, Arc::new(members(input())))
        .with_title(*title)
        .with_raw_output_schema(Arc::new(members(output())))
        .with_annotations(annotations)
}

fn members(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(members) => members,
        _ => unreachable!("our own schemas are objects"),
    }
}
