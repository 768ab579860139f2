/**
 * Published vulnerabilities in packages of this tree, with the version that fixed them. A manual list, because the registry's audit needs a
 * network; where there is one, `npm audit` knows more, and its findings are added here so that they never return.
 */
import type { Advisory } from "../../../scripts/supply-chain.ts"

export const KNOWN_HOLES: ReadonlyArray<Advisory> = [
  { package: "ajv", id: "CVE-2020-15366", fixed: "6.12.3" },
  { package: "brace-expansion", id: "CVE-2025-5889", fixed: "2.0.2" },
  { package: "braces", id: "CVE-2024-4068", fixed: "3.0.3" },
  { package: "cross-spawn", id: "CVE-2024-21538", fixed: "7.0.5" },
  { package: "esbuild", id: "GHSA-67mh-4wv8-f99g", fixed: "0.25.0" },
  { package: "js-yaml", id: "CVE-2025-64718", fixed: "4.1.1" },
  { package: "lodash", id: "CVE-2021-23337", fixed: "4.17.21" },
  { package: "markdown-it", id: "CVE-2022-21670", fixed: "12.3.2" },
  { package: "micromatch", id: "CVE-2024-4067", fixed: "4.0.8" },
  { package: "minimist", id: "CVE-2021-44906", fixed: "1.2.6" },
  { package: "msgpackr", id: "CVE-2023-52079", fixed: "1.10.1" },
  { package: "nanoid", id: "CVE-2024-55565", fixed: "3.3.8" },
  { package: "nodemailer", id: "GHSA-9h6g-pr28-7cqp", fixed: "6.9.9" },
  { package: "nodemailer", id: "CVE-2025-13033", fixed: "7.0.7" },
  { package: "postcss", id: "CVE-2023-44270", fixed: "8.4.31" },
  { package: "protobufjs", id: "CVE-2022-25878", fixed: "6.11.3" },
  { package: "protobufjs", id: "CVE-2023-36665", since: "6.10.0", fixed: "7.2.5" },
  { package: "rollup", id: "CVE-2024-47068", since: "4.0.0", fixed: "4.22.4" },
  { package: "semver", id: "CVE-2022-25883", since: "7.0.0", fixed: "7.5.2" },
  { package: "swagger-ui-dist", id: "GHSA-qrmm-w75w-3wpx", fixed: "4.1.3" },
  { package: "tmp", id: "CVE-2025-54798", fixed: "0.2.4" },
  { package: "undici", id: "CVE-2024-30260", since: "6.0.0", fixed: "6.11.1" },
  { package: "undici", id: "CVE-2025-22150", since: "7.0.0", fixed: "7.2.3" },
  { package: "undici", id: "CVE-2025-47279", since: "7.0.0", fixed: "7.5.0" },
  { package: "vite", id: "CVE-2025-31125", since: "6.2.0", fixed: "6.2.4" },
  { package: "vitest", id: "CVE-2025-24964", since: "3.0.0", fixed: "3.0.5" },
  { package: "ws", id: "CVE-2024-37890", since: "8.0.0", fixed: "8.17.1" },
]
