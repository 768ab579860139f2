/**
 * What the Effect language service says of a project: `effect-diagnostics.ts tsconfig.json` prints an EffectReport as JSON. Its own command begins a new
 * compiler for every 50 files, which were four fifths of seven minutes; one compiler does here, with the same plugin.
 */
import { createRequire } from "node:module"
import { dirname } from "node:path"
import ts from "typescript"

/** It has no types of its own. */
const effectPlugin = createRequire(import.meta.url)("@effect/language-service") as ts.server.PluginModuleFactory

/** In the order of `ts.DiagnosticCategory`. */
const SEVERITIES = ["warning", "error", "suggestion", "message"] as const

export interface EffectReport {
  readonly diagnostics: ReadonlyArray<{
    readonly file: string
    /** From 1, as `column` is. */
    readonly line: number
    readonly column: number
    readonly severity: (typeof SEVERITIES)[number]
    readonly name: string
    readonly message: string
  }>
  readonly filesChecked: number
}

/** The plugin puts the name of the rule behind what it says. */
const NAMED = /^(.*?)\s+effect\((\w+)\)$/s

const parsed = (path: string): ts.ParsedCommandLine => {
  const { config, error } = ts.readConfigFile(path, ts.sys.readFile)
  if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, "\n"))
  return ts.parseJsonConfigFileContent(config, ts.sys, dirname(path))
}

const report = (path: string): EffectReport => {
  const { options, fileNames } = parsed(path)
  const plugins = (options["plugins"] ?? []) as ReadonlyArray<{ readonly name: string }>
  const config = plugins.find(({ name }) => name === "@effect/language-service")
  if (config === undefined) return { diagnostics: [], filesChecked: 0 }
  const program = ts.createProgram(fileNames, options)
  // Of a language service the plugin needs the program; what the compiler itself has to say is tsc's to tell.
  const service = { getProgram: () => program, getSemanticDiagnostics: () => [], getSupportedCodeFixes: () => [] }
  const project = { log: () => undefined }
  const checker = effectPlugin({ typescript: ts as never }).create({
    languageService: service,
    config,
    project,
  } as never)
  const diagnostics = fileNames.flatMap((file) =>
    checker.getSemanticDiagnostics(file).flatMap(({ file: source, start, category, messageText }) => {
      if (source === undefined || start === undefined) return []
      const { line, character } = source.getLineAndCharacterOfPosition(start)
      const said = ts.flattenDiagnosticMessageText(messageText, "\n")
      const [, message = said, name = "unnamed"] = NAMED.exec(said) ?? []
      return [{ file, line: line + 1, column: character + 1, severity: SEVERITIES[category], name, message }]
    }),
  )
  return { diagnostics, filesChecked: fileNames.length }
}

const [path] = process.argv.slice(2)
if (path === undefined) throw new Error("which tsconfig.json?")
console.log(JSON.stringify(report(path)))
