/**
 * Who may import whom: the layers of the source tree, for `npm run check` (`import type` counts as an import).
 *
 * The one thing to know: every folder of src/ stands in `knows`; a folder that does not is refused, so that a new one
 * gets its place in the layers on the day it appears.
 */

/** Folder of src/ → what it may import from src/ beside itself, as regular expressions after `src/`. */
const knows = {
  foundation: [],
  domain: ["foundation/"],
  settings: ["foundation/", "domain/"],
  ports: ["foundation/", "domain/"],
  kernel: ["foundation/", "domain/reply\\.ts$"],
  actors: ["foundation/", "domain/", "ports/", "kernel/"],
  venues: ["foundation/", "domain/", "ports/", "kernel/"],
  store: ["foundation/", "domain/", "ports/"],
  ledger: [
    "foundation/",
    "domain/",
    "ports/",
    "kernel/",
    "store/(postgres/(sql|storage-failure|writer-session)|ledger/(wallets|journal|audit-run)|users/authority|audit/acts)\\.ts$",
  ],
  mail: ["foundation/", "domain/", "ports/", "store/", "kernel/loop\\.ts$"],
  auth: [
    "foundation/",
    "domain/",
    "ports/",
    "kernel/loop\\.ts$",
    "config\\.ts$",
    "settings/environment\\.ts$",
    "store/",
  ],
  http: ["foundation/", "domain/", "ports/", "actors/", "auth/", "store/", "kernel/loop\\.ts$"],
  ws: ["foundation/", "domain/", "ports/", "actors/", "auth/"],
  admin: [
    "foundation/",
    "domain/",
    "store/",
    "ports/security-log\\.ts$",
    "auth/(audit-log|api-key/new-key|session/(tenant-move|tokens)|keys/(keys|key-files|signing-keys))\\.ts$",
    "config\\.ts$",
    "settings/environment\\.ts$",
  ],
  otlp: ["foundation/", "domain/", "ports/"],
  cluster: ["foundation/", "domain/", "ports/"],
  metrics: ["foundation/", "ports/", "store/orders/order-writer\\.ts$", "ws/server\\.ts$"],
}

/** These may take the shape of their settings from `config.ts`, never its reading of the environment. */
const knowsSettingsType = ["store"]

const folders = Object.keys(knows).join("|")

const layers = Object.entries(knows).flatMap(([folder, others]) => {
  const typeOnly = knowsSettingsType.includes(folder)
  const allowed = [`${folder}/`, ...others, ...(typeOnly ? ["config\\.ts$"] : [])]
  const rules = [
    {
      name: `layer-${folder}`,
      comment: `src/${folder} knows ${others.length === 0 ? "nothing of ours" : others.join(", ")}`,
      severity: "error",
      from: { path: `^src/${folder}/` },
      to: { path: "^src/", pathNot: `^src/(${allowed.join("|")})` },
    },
  ]
  if (typeOnly) {
    rules.push({
      name: `layer-${folder}-settings`,
      comment: `src/${folder} may only \`import type\` from src/config.ts`,
      severity: "error",
      from: { path: `^src/${folder}/` },
      to: { path: "^src/config\\.ts$", dependencyTypesNot: ["type-only"] },
    })
  }
  return rules
})

/** What an account is made of; beside it in src/actors/account/ stands what is done with it. */
const accountParts =
  "^src/actors/account/(contracts|core|directory|messages|order-memory|used-names|parts|positions|resting-accounts|working-order|channel/publication|" +
  "orders/(limits|waiting-submits)|venue/(connection|late-orders|names|refusals|session-openings|strays|trades))\\.ts$"

/** A package that only the named files may import. */
const only = (name, packages, files, comment) => ({
  name,
  comment,
  severity: "error",
  from: { path: "^src/", pathNot: files },
  to: { path: `(^|/)node_modules/(${packages})/` },
})

module.exports = {
  forbidden: [
    ...layers,
    {
      name: "layer-config",
      comment: "src/config.ts knows foundation, domain and settings",
      severity: "error",
      from: { path: "^src/config\\.ts$" },
      to: { path: "^src/", pathNot: "^src/(foundation|domain|settings)/" },
    },
    {
      name: "nobody-knows-main",
      comment:
        "src/main.ts, src/process.ts and the composition root (src/gateway.ts, src/composition/) know every part, no part knows them",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/((main|process|gateway)\\.ts$|composition/)" },
      to: { path: "^src/((main|process|gateway)\\.ts$|composition/)" },
    },
    {
      name: "layer-live",
      comment: "src/live.ts knows the ports that it provides",
      severity: "error",
      from: { path: "^src/live\\.ts$" },
      to: { path: "^src/", pathNot: "^src/(foundation|domain|ports)/" },
    },
    {
      name: "known-place",
      comment: "give the folder its place in `knows` first",
      severity: "error",
      from: {},
      to: { path: "^src/", pathNot: `^src/((${folders})/|composition/|(main|process|gateway|live|config)\\.ts$)` },
    },
    {
      name: "account-parts",
      comment: "the parts of an account know each other and the way back (`Sequels`), never what is done with them",
      severity: "error",
      from: { path: accountParts },
      to: { path: "^src/actors/account/", pathNot: accountParts },
    },
    {
      name: "src-alone",
      comment: "what ships imports nothing from test, bench or scripts",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|bench|scripts|console|clients)/" },
    },
    {
      name: "console-alone",
      comment: "the console knows what a bot knows: the TypeScript client, and nothing of the gateway's own",
      severity: "error",
      from: { path: "^console/" },
      to: { pathNot: "^(console/|clients/typescript/src/|guide:)|(^|/)node_modules/(preact|@preact/signals)/" },
    },
    only(
      "ccxt-in-worker",
      "ccxt",
      "^src/venues/(worker|adapters/[^/]+)/",
      "ccxt's floats end in src/venues/worker/ and the venues' adapters",
    ),
    {
      name: "adapters-as-data",
      comment: "outside the worker threads a venue is its profile: plain data, without ccxt",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/venues/(worker|adapters)/" },
      to: {
        path: "^src/venues/(worker/|adapters/([^/]+/(?!profile\\.ts$)|(adapter|adapters|client-id-scheme)\\.ts$))",
      },
    },
    only(
      "sockets-in-three-files",
      "uWebSockets\\.js|uws-pack",
      "^src/(http/edge/(server|doors)|ws/server)\\.ts$",
      "a wrong call on uWebSockets ends the process: http/edge/server and doors, and ws/server only",
    ),
    only(
      "sql-in-store",
      "pg|pg-[^/]+|@effect/sql|@effect/sql-[^/]+",
      "^src/(store/|ledger/|gateway\\.ts$)",
      "SQL lives in src/store/ and src/ledger/; src/gateway.ts composes the layer",
    ),
    only(
      "collector-in-otlp",
      "@effect/opentelemetry",
      "^src/otlp/",
      "what leaves for a collector leaves through src/otlp/",
    ),
    only(
      "broker-in-cluster",
      "@nats-io/[^/]+",
      "^src/cluster/broker\\.ts$",
      "what other nodes are told goes through src/cluster/broker.ts",
    ),
    {
      name: "read-when-needed",
      comment:
        "to read it costs each start 70 to 90 ms of processor time and 10 MB or more: `await import` where it is used",
      severity: "error",
      from: { path: "^src/" },
      to: {
        path: "^(node:)?https?$|(^|/)node_modules/@nats-io/",
        dynamic: false,
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "no-collector-sdk",
      comment: "@effect/opentelemetry/Otlp… stands alone; its index and its other modules load the OpenTelemetry SDK",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "(^|/)node_modules/(@opentelemetry/|@effect/opentelemetry/dist/[^/]+/(?!Otlp))" },
    },
    {
      name: "no-cycle",
      comment: "two files that need each other are one idea or three",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "resolvable",
      comment: "an import that cannot be resolved escapes every other rule",
      severity: "error",
      from: {},
      // Made by scripts/console.mjs.
      to: { couldNotResolve: true, pathNot: "^guide:" },
    },
    {
      name: "no-dev-package-in-src",
      comment: "`npm ci --omit=dev` must be enough to run",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["npm-optional"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".mjs", ".cjs", ".js", ".json", ".d.ts"],
    },
  },
}
