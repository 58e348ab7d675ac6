// Says what is wrong as annotations of GitHub Actions: what the reports of a run tell, or else what it said on standard error.
import { existsSync, readFileSync } from "node:fs";

const { PROBITY_CODE: code = "", PROBITY_JUNIT: junit, PROBITY_SARIF: sarif, PROBITY_ERRORS: errors } = process.env;
/** Most letters of what was said on standard error: usage and tips fit. */
const MOST_LETTERS = 2000;

const data = (text) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text) => data(String(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
let hasErrors = false;

/** Prints one annotation. */
function annotate(level, properties, message) {
  const listed = Object.entries(properties).map(([name, value]) => `${name}=${property(value)}`);
  console.log(`::${level} ${listed.join(",")}::${data(message)}`);
  hasErrors ||= level === "error";
}

/** Reads a report, if there is one; one that cannot be read hides no other. */
function read(path, told) {
  if (!path) return;
  try {
    told(readFileSync(path, "utf8"));
  } catch (error) {
    annotate("warning", { title: "probity" }, `${path} cannot be annotated: ${error.message}`);
  }
}

// What lies in a file is shown there.
const placed = new Set();
read(sarif, (text) => {
  for (const run of JSON.parse(text).runs) {
    for (const result of run.results) {
      const place = result.locations[0].physicalLocation;
      const file = decodeURIComponent(place.artifactLocation.uri);
      const level = result.level === "error" ? "error" : "warning";
      placed.add(result.ruleId);
      annotate(level, { file, line: place.region.startLine, title: result.ruleId }, result.message.text);
    }
  }
});

// The rest is shown with the job.
read(junit, (text) => {
  const plain = (text) =>
    text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
  let name = "";
  for (const line of text.matchAll(/<testcase [^>]*name="([^"]*)"|<failure type="([^"]*)" message="([^"]*)"/g)) {
    if (line[1] !== undefined) {
      name = plain(line[1]);
    } else if (!placed.has(plain(line[2]))) {
      annotate("error", { title: `${name}: ${plain(line[2])}` }, plain(line[3]));
    }
  }
});

// A run that failed without saying why in a report said it on standard error.
if (code !== "0" && !hasErrors) {
  annotate("error", { title: `probity: exit code ${code || "unknown"}` }, said() || "see the log of the step Run");
}

/** What was said on standard error, from the first error on, without colours. */
function said() {
  if (!errors || !existsSync(errors)) return "";
  const text = readFileSync(errors, "utf8").replaceAll(/\u001b\[[0-9;]*m/g, "").trim();
  const start = text.search(/^(error|failed): /m);
  const told = text.slice(Math.max(start, 0)).replace(/^(error|failed): /, "");
  return told.length > MOST_LETTERS ? `${told.slice(0, MOST_LETTERS)}…` : told;
}
