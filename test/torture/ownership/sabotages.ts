/**
 * `npm run torture -- cluster-sabotages [--only TEXT]`: what several processes on one database rely on is taken out of the sources, one condition at a
 * time, and the test that is named for it has to fail. In a copy of the repository. The one thing to know: a test that does not run, or a condition that is
 * not in its file as it stands here, is no success.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative, sep } from "node:path"
import type { Verdict } from "../kill/kill-verdict.ts"
import { ranTests, root } from "../ran-tests.ts"
import type { Sabotage } from "./sabotage.ts"
import { SABOTAGES } from "./sabotage-list.ts"

const LEFT_OUT = new Set([".git", "node_modules", "dist"])

/** With a cache of its own: what is built of spoilt sources is for nobody else. */
const copyOfRepository = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "sabotages-"))
  cpSync(root, folder, {
    recursive: true,
    filter: (path) =>
      !relative(root, path)
        .split(sep)
        .some((part) => LEFT_OUT.has(part)),
  })
  const modules = join(folder, "node_modules")
  mkdirSync(join(modules, ".cache"), { recursive: true })
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== ".cache") symlinkSync(join(root, "node_modules", name), join(modules, name))
  return folder
}

const spoilt = (text: string, { file, from, to }: Sabotage): string => {
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times "${from}", not once`)
  return parts.join(to)
}

/** The named test, as it ended: undefined, it did not run. */
const endOf = async (cwd: string, { test: [file, title] }: Sabotage): Promise<boolean | undefined> => {
  const ran = await ranTests({ cwd, files: [file], title })
  return ran.find((one) => one.title.startsWith(title))?.passed
}

const WORDS = { true: "nothing saw it", false: "seen", undefined: "its test did not run" } as const

export const clusterSabotages = async (
  only: string | undefined,
  progress: (line: string) => void,
): Promise<ReadonlyArray<Verdict>> => {
  const chosen = SABOTAGES.filter(({ holds, without }) => only === undefined || `${holds}: ${without}`.includes(only))
  if (chosen.length === 0)
    return [{ name: `${only}`, passed: false, says: "no promise and no condition has that in it" }]
  const verdicts: Array<Verdict> = []
  const say = (verdict: Verdict): void => {
    progress(`cluster-sabotages: ${verdict.name}: ${verdict.says}`)
    verdicts.push(verdict)
  }
  const cwd = copyOfRepository()
  try {
    const tests = new Map(chosen.map((it) => [it.test.join(" "), it]))
    for (const [name, it] of tests) {
      const end = await endOf(cwd, it)
      if (end !== true)
        say({ name: `whole: ${name}`, passed: false, says: end === false ? "it fails" : WORDS.undefined })
    }
    for (const it of chosen) {
      const path = join(cwd, it.file)
      const text = readFileSync(path, "utf8")
      writeFileSync(path, spoilt(text, it))
      const end = await endOf(cwd, it)
      writeFileSync(path, text)
      const says = `${WORDS[`${end}`]} (${it.test.join(": ")})`
      say({ name: `${it.holds}: without ${it.without}`, passed: end === false, says })
    }
    return verdicts
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}
