// Reads the reports in a folder and says what is wrong as annotations of GitHub Actions.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2] ?? "probity-reports";
const data = (text) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text) => data(String(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** Prints one annotation. */
function annotate(level, properties, message) {
  const listed = Object.entries(properties).map(([name, value]) => `${name}=${property(value)}`);
  console.log(`::${level} ${listed.join(",")}::${data(message)}`);
}

// What lies in a file is shown there.
const placed = new Set();
const sarif = join(folder, "findings.sarif.json");
if (existsSync(sarif)) {
  for (const run of JSON.parse(readFileSync(sarif, "utf8")).runs) {
    for (const result of run.results) {
      const place = result.locations[0].physicalLocation;
      const file = decodeURIComponent(place.artifactLocation.uri);
      const level = result.level === "error" ? "error" : "warning";
      placed.add(result.ruleId);
      annotate(level, { file, line: place.region.startLine, title: result.ruleId }, result.message.text);
    }
  }
}

// The rest is shown with the job.
const junit = join(folder, "junit.xml");
if (existsSync(junit)) {
  const plain = (text) =>
    text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
  let name = "";
  for (const line of readFileSync(junit, "utf8").matchAll(/<testcase [^>]*name="([^"]*)"|<failure type="([^"]*)" message="([^"]*)"/g)) {
    if (line[1] !== undefined) {
      name = plain(line[1]);
    } else if (!placed.has(plain(line[2]))) {
      annotate("error", { title: `${name}: ${plain(line[2])}` }, plain(line[3]));
    }
  }
}
