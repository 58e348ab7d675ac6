//! What can be typed after `probity serve`.

/// Options of `serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  An MCP client starts `probity serve` itself. In the configuration of a client:
  {
    \"mcpServers\": {
      \"probity\": { \"command\": \"probity\", \"args\": [\"serve\"] }
    }
  }

Tools:
  generate           valid instances of a JSON Schema, random or guided
  measure_coverage   what instances show of a JSON Schema, and which are invalid
  test_server        drive another MCP server, shrink what breaks, and prove it;
                     this runs the program it is given, so the tool calls itself
                     destructive

Standard output carries the protocol and nothing else. Each call is done by a process of its own, which ends with it.")]
pub(crate) struct ServeArgs {
    /// How long a call that generates or measures may take
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) time_limit: u64,

    /// Calls that are worked on at once; others wait
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=64))]
    pub(crate) workers: u64,

    /// Answer the one request on standard input; this is how the server starts itself for each call
    #[arg(long, hide = true)]
    pub(crate) work: bool,
}
