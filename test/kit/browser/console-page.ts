/** The console in a page of its own: signed in, with helpers for tests. Every page counts what its policy refused, and its errors. */
import axe from "axe-core"
import type { Browser, Locator, Page } from "playwright-core"
import { PASSWORD, type Ready } from "../servers/gateway.ts"

export interface ConsolePage {
  readonly page: Page
  /** Refusals of the Content-Security-Policy, and errors that nothing caught: there must be none. */
  readonly faults: () => Promise<ReadonlyArray<string>>
}

export const WIDTHS = [390, 1280, 1920] as const

// What runs in the page is text here: the tests know no names of browsers.
const WATCH = `
globalThis.refused = []
addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) =>
  refused.push("policy: " + violatedDirective + " " + blockedURI + " " + sample))
`

/** At the gateway's front door, where a browser is led to the console. */
export const openConsole = async (browser: Browser, gateway: Pick<Ready, "http">): Promise<ConsolePage> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  const broken: Array<string> = []
  page.on("pageerror", (error) => broken.push(`error: ${error.message}`))
  page.on("dialog", (dialog) => {
    broken.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.addInitScript({ content: WATCH })
  await page.goto(`${gateway.http}/`)
  const faults = async (): Promise<ReadonlyArray<string>> => [
    ...broken,
    ...(await page.evaluate<ReadonlyArray<string>>("refused")),
  ]
  return { page, faults }
}

export const signIn = async (page: Page, email: string): Promise<void> => {
  await page.getByLabel("E-mail").fill(email)
  await page.getByLabel("Password").fill(PASSWORD)
  await page.locator("form button[type=submit]").click()
  await page.waitForSelector("header.bar")
}

export const goTo = async (page: Page, screen: string): Promise<void> => {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${screen}`)}`)
  await page.waitForSelector(`nav a[aria-current=page][href="#/${screen.split("/")[0]}"]`)
}

/** Waits for a text; where it does not come the failure shows what stands there instead. */
export const shows = (place: Locator, text: string): Promise<void> =>
  place
    .getByText(text)
    .waitFor()
    .catch(async () => {
      throw new Error(`no "${text}" in: ${await place.textContent()}`)
    })

/** Keys are heard by the page, not by a field. */
export const keys = async (page: Page, ...pressed: ReadonlyArray<string>): Promise<void> => {
  await page.evaluate("document.activeElement?.blur()")
  for (const key of pressed) await page.keyboard.press(key)
}

/** An order by the keyboard alone: side, quantity, price, Enter to check, Enter to send. */
export const placeByKeys = async (
  page: Page,
  { side, quantity, price }: { readonly side: "b" | "s"; readonly quantity: string; readonly price: string },
): Promise<void> => {
  await keys(page, side)
  await page.keyboard.type(quantity)
  await page.keyboard.press("Tab")
  await page.keyboard.press("ControlOrMeta+a")
  await page.keyboard.type(price)
  await page.keyboard.press("Enter")
  await page.waitForSelector("button.send.armed")
  // The second one is another press, not the first one held down.
  await page.waitForTimeout(200)
  await page.keyboard.press("Enter")
}

export interface LadderShown {
  readonly sequence: number
  readonly bids: ReadonlyArray<readonly [price: string, size: string]>
  readonly asks: ReadonlyArray<readonly [price: string, size: string]>
}

const LADDER = `
(() => {
  const box = document.querySelector("#ladder")
  const text = (row, name) => row.querySelector("." + name).firstChild.data
  const rows = (side) =>
    [...box.querySelectorAll(".level." + side)]
      .map((row) => [text(row, "price"), text(row, "size")])
      .filter(([price]) => price !== "")
  return { sequence: Number(box.dataset.sequence), bids: rows("bid"), asks: rows("ask") }
})()
`

/** As it stands, in one look: its sequence with its rows. */
export const ladderOf = (page: Page): Promise<LadderShown> => page.evaluate<LadderShown>(LADDER)

const tileScript = (instrumentId: string): string => `
(() => {
  const tile = [...document.querySelectorAll(".tile")].find((it) => it.dataset.book === ${JSON.stringify(instrumentId)})
  const rows = [...tile.querySelectorAll(".level")].map((row) => [...row.children].map((cell) => cell.firstChild.data.trim()))
  return {
    sequence: Number(tile.dataset.sequence),
    bids: rows.map(([size, price]) => [price, size]),
    asks: rows.map(([, , price, size]) => [price, size]),
  }
})()
`

/** Of the wall of books, in one look. */
export const tileOf = (page: Page, instrumentId: string): Promise<LadderShown> =>
  page.evaluate<LadderShown>(tileScript(instrumentId))

interface AxeResult {
  readonly violations: ReadonlyArray<{
    readonly id: string
    readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary: string }>
  }>
}

/** What axe finds: one line each. `only`: of one rule. */
export const axeFaults = async (page: Page, only?: string): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const options = only === undefined ? {} : { runOnly: [only] }
  const { violations } = await page.evaluate<AxeResult>(`axe.run(${JSON.stringify(options)})`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary.replaceAll("\n", " ")}`),
  )
}
