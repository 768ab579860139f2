/** What `torture -- cluster-sabotages` takes out is there, and so are the tests that are named for it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { HOLDS } from "../../torture/ownership/sabotage.ts"
import { SABOTAGES } from "../../torture/ownership/sabotage-list.ts"
import { root } from "../../torture/ran-tests.ts"

const read = (path: string): string => readFileSync(join(root, path), "utf8")

it.each(SABOTAGES)("$holds: $without, in $file", ({ file, from, to, test: [path, title] }) => {
  expect([read(file).split(from).length - 1, from === to]).toEqual([1, false])
  // What `it.each` makes of a title ends in what each is.
  expect(read(path)).toContain(title.split(/: | of /)[0])
})

it("are of all that holds", () => {
  expect(new Set(SABOTAGES.map(({ holds }) => holds))).toEqual(new Set(Object.keys(HOLDS)))
})
