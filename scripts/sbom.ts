/** `npm run sbom`: writes the bill of materials of what ships, sbom.cdx.json (CycloneDX 1.5, not kept in git), and THIRD-PARTY.md. */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { billOfMaterials, type Lock, notices } from "./supply-chain.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const lockText = readFileSync(`${root}package-lock.json`, "utf8")
const lock = JSON.parse(lockText) as Lock

const everything = execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
  stdio: ["ignore", "pipe", "ignore"],
})
const bom = billOfMaterials(JSON.parse(everything), lock, lockText)
writeFileSync(`${root}sbom.cdx.json`, `${JSON.stringify(bom, null, 2)}\n`)
writeFileSync(`${root}THIRD-PARTY.md`, notices(lock))
console.log(`sbom.cdx.json: ${bom.components.length} components; THIRD-PARTY.md`)
