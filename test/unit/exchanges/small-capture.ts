/**
 * A capture of a few frames in the recorded format, so that replay is tested where the recorded ones are absent.
 * Digits and a blank are chosen so that any reading and writing again would change them.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"

const frame = (millis: number, stream: string, text: string) =>
  `17231612540${String(millis).padStart(2, "0")}000000 {"stream":"btcusdt@${stream}","data":${text}}`

const diff = (first: number, final: number, bids: string, asks: string) =>
  `{"e":"depthUpdate", "E":1723161255208,"s":"BTCUSDT","U":${first},"u":${final},"b":[${bids}],"a":[${asks}]}`

/** The `data` texts of all frames, in order. */
export const SMALL_CAPTURE_TEXTS = [
  diff(1, 10, '["99.90000000","0.00000000"]', ""),
  diff(11, 20, '["100.00000000","2.00000000"]', '["101.00000000","1.10"]'),
  '{"u":20,"s":"BTCUSDT","b":"100.00000000","B":"2.00000000","a":"101.00000000","A":"1.10"}',
  '{"e":"trade","E":1723161255343,"s":"BTCUSDT","t":7,"p":"101.00","q":"0.50","T":1723161255342,"m":false,"M":true}',
  diff(21, 30, '["100.00000000","0.00000000"],["99.50000000","3.00000000"]', '["101.00000000","0.6"]'),
  diff(31, 40, "", '["100.50000000","4.00000000"]'),
]

const NAMES = ["depth@100ms", "depth@100ms", "bookTicker", "trade", "depth@100ms", "depth@100ms"]

const SNAPSHOT =
  '{"lastUpdateId":15,"bids":[["99.90000000","1.0"]],"asks":[["101.00000000","1.00000000"],["102.00000000","5.5"]]}'

export const writeSmallCapture = (): { readonly path: string; readonly remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), "capture-"))
  const path = join(folder, "small.gz")
  const lines = SMALL_CAPTURE_TEXTS.map((text, index) => frame(index * 10, NAMES[index] ?? "", text))
  lines.splice(2, 0, `1723161254015000000 ${SNAPSHOT}`)
  writeFileSync(path, gzipSync(`${lines.join("\n")}\n`))
  return { path, remove: () => rmSync(folder, { recursive: true }) }
}
