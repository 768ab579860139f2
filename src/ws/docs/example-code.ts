/** The programs of docs/examples/realtime as HTML; the build puts them beside the code, so that they are found from dist too. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const FOLDER = fileURLToPath(new URL("../../../docs/examples/realtime/", import.meta.url))

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const TOKEN =
  /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|\b(?<keyword>async|await|catch|const|else|export|for|from|function|if|import|let|new|null|of|return|throw|try|typeof|undefined)\b/g

/** Enough of JavaScript's words to read well. */
export const highlighted = (code: string): string => {
  let html = ""
  let at = 0
  for (const found of code.matchAll(TOKEN)) {
    const kind = Object.entries(found.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ?? ""
    html += `${escapeHtml(code.slice(at, found.index))}<span class="${kind}">${escapeHtml(found[0])}</span>`
    at = found.index + found[0].length
  }
  return html + escapeHtml(code.slice(at))
}

export const exampleCode = (name: string): string => readFileSync(`${FOLDER}${name}`, "utf8").trimEnd()
