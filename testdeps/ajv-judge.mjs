// Asks AJV 8 whether instances fit a schema: one JSON request per line in, one JSON answer per line out.
//
// Usage: node ajv-judge.mjs FOLDER-WITH-NODE_MODULES
//
// Request  {id, draft, schema, instances: [JSON text, ..], formats?: bool, siblings?: bool, timeoutMs?: number}
// Answer   {id, invalid: [{index, message}, ..], notes: [text, ..]}      AJV judged every instance
//          {id, error: "..."}                                            AJV could not compile the schema
//          {id, gaveUp: "..."}                                           AJV needed longer than timeoutMs
//
// `siblings` says whether keywords beside `$ref` count in drafts 4 to 7: AJV applies them, the drafts ignore them.
//
// AJV runs in a worker thread, so that a schema or pattern on which it never ends can be stopped, and so that this
// process notices the end of its input, and ends, even while AJV is busy.

import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

const DEFAULT_TIMEOUT_MS = 20_000;

if (isMainThread) serve(process.argv[2]);
else work(workerData);

function serve(folder) {
  if (folder === undefined) {
    process.stderr.write("usage: node ajv-judge.mjs FOLDER-WITH-NODE_MODULES\n");
    process.exit(2);
  }
  let judge;
  let turn = Promise.resolve();
  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
  lines.on("line", (line) => {
    if (line.trim() === "") return;
    turn = turn.then(async () => {
      judge ??= startJudge(folder);
      const { answer, isLost } = await ask(judge, line);
      if (isLost) {
        await judge.worker.terminate();
        judge = undefined;
      }
      process.stdout.write(JSON.stringify(answer) + "\n");
    });
  });
  // What was asked before the end of input is still answered, within its time limit; then this process ends.
  lines.on("close", () => turn.then(() => process.exit(0)));
  process.stdout.on("error", () => process.exit(0));
}

// A worker with one listener for its whole life; `settle` is whoever waits for its next answer.
function startJudge(folder) {
  const worker = new Worker(new URL(import.meta.url), { workerData: folder });
  const judge = { worker, settle: () => {} };
  worker.on("message", (answer) => judge.settle(answer, false));
  worker.on("error", (error) => judge.settle({ error: `AJV died: ${error.message}` }, true));
  worker.on("exit", (code) => judge.settle({ error: `AJV died with exit code ${code}` }, true));
  return judge;
}

function ask(judge, line) {
  let id = null;
  let timeoutMs = DEFAULT_TIMEOUT_MS;
  try {
    ({ id, timeoutMs = DEFAULT_TIMEOUT_MS } = JSON.parse(line));
  } catch (error) {
    return { answer: { id, error: `the request is not JSON: ${error.message}` }, isLost: false };
  }
  return new Promise((resolve) => {
    const limit = `AJV gave up: no answer within ${timeoutMs / 1000} s`;
    const timer = setTimeout(() => judge.settle({ gaveUp: limit }, true), timeoutMs);
    judge.settle = (answer, isLost) => {
      clearTimeout(timer);
      judge.settle = () => {};
      resolve({ answer: { id, ...answer }, isLost });
    };
    judge.worker.postMessage(line);
  });
}

function work(folder) {
  const require = createRequire(join(folder, "judge.cjs"));
  parentPort.on("message", (line) => {
    try {
      parentPort.postMessage(verdict(require, JSON.parse(line)));
    } catch (error) {
      parentPort.postMessage({ error: firstLine(error) });
    }
  });
}

function verdict(require, { draft, schema, instances, formats = true, siblings = true }) {
  const notes = [];
  const make = (unicodeRegExp) => compile(require, { draft, schema, formats, siblings, unicodeRegExp });
  let validate;
  try {
    validate = make(true);
  } catch (error) {
    if (!/invalid regular expression/i.test(String(error.message))) throw error;
    validate = make(false);
    notes.push("a pattern is not valid under the u flag; patterns are read without it");
  }
  const invalid = [];
  instances.forEach((text, index) => {
    if (!validate(JSON.parse(text))) {
      const [error] = validate.errors ?? [];
      invalid.push({ index, message: describe(error) });
    }
  });
  return { invalid, notes };
}

function compile(require, { draft, schema, formats, siblings, unicodeRegExp }) {
  const known = DRAFTS[draft];
  if (known === undefined) throw new Error(`"${draft}" is not one of ${Object.keys(DRAFTS).join(", ")}`);
  const Ajv = require(known.module).default;
  const ajv = new Ajv({
    strict: false,
    allErrors: false,
    validateFormats: formats,
    // A schema that breaks its meta-schema is still judged as far as AJV can compile it.
    validateSchema: "log",
    logger: false,
    unicodeRegExp,
    ignoreKeywordsWithRef: known.refStandsAlone && !siblings,
  });
  if (formats) require("ajv-formats").default(ajv);
  if (known.metaSchema !== undefined) ajv.addMetaSchema(require(known.metaSchema));
  return ajv.compile(withoutDialect(schema));
}

// The draft is chosen by the request, so a `$schema` that AJV does not know must not stop it; and `$async`, which JSON
// Schema does not know, must not turn verdicts into promises.
function withoutDialect(schema) {
  if (typeof schema !== "object" || schema === null) return schema;
  const { $schema: _dialect, $async: _promise, ...rest } = schema;
  return rest;
}

const DRAFTS = {
  draft4: { module: "ajv-draft-04", refStandsAlone: true },
  draft6: { module: "ajv", metaSchema: "ajv/dist/refs/json-schema-draft-06.json", refStandsAlone: true },
  draft7: { module: "ajv", refStandsAlone: true },
  "2019-09": { module: "ajv/dist/2019", refStandsAlone: false },
  "2020-12": { module: "ajv/dist/2020", refStandsAlone: false },
};

function describe(error) {
  if (error === undefined) return "rejected without a reason";
  const { instancePath, schemaPath, message } = error;
  return `at ${instancePath === "" ? "the root" : instancePath}: ${message} (${schemaPath})`;
}

function firstLine(error) {
  return String(error?.message ?? error).split("\n")[0];
}
