/**
 * `node --import tsx scripts/console-tasks.ts FOLDER`: plays the eight tasks of docs/guide/console.md in a real Chromium, by the keyboard alone,
 * against a gateway of its own and a loopback exchange, and leaves a picture of each in the folder, at three widths, light and dark. What was
 * pressed must be what the guide says, key for key: else it exits with 1 and prints the lines as they are.
 */
import { randomUUID } from "node:crypto"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { startBinanceExchange } from "../test/exchanges/binance/exchange.ts"
import { launchChromium } from "../test/kit/browser/chromium.ts"
import { openConsole, signIn, WIDTHS } from "../test/kit/browser/console-page.ts"
import { signUpFounder } from "../test/kit/servers/founder.ts"
import { api, endGateways, startGateway, until } from "../test/kit/servers/gateway.ts"

const ADMIN = "ada@example.com"
const MARKET = "BINANCE:BTC/USDT"
const MALLORY = "mallory@example.com"

/** One task's keys, counted: a text that is typed is one step. */
class Hand {
  readonly steps: Array<string> = []
  constructor(readonly page: Page) {}

  async press(key: string): Promise<void> {
    this.steps.push(`\`${key}\``)
    await this.page.keyboard.press(key)
    // As long as a finger takes: the second Enter is another press, not the first one held down.
    await this.page.waitForTimeout(250)
  }

  async type(text: string): Promise<void> {
    this.steps.push(`_${text}_`)
    await this.page.keyboard.type(text)
  }
}

interface Task {
  readonly title: string
  readonly play: (hand: Hand) => Promise<unknown>
}

const folder = process.argv[2]
if (folder === undefined) {
  console.error("usage: node --import tsx scripts/console-tasks.ts FOLDER")
  process.exit(1)
}
mkdirSync(folder, { recursive: true })

const guide = readFileSync(fileURLToPath(new URL("../docs/guide/console.md", import.meta.url)), "utf8")

const photograph = async (page: Page, name: string): Promise<void> => {
  for (const theme of ["light", "dark"])
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 1000 })
      await page.evaluate(`document.documentElement.dataset.theme = ${JSON.stringify(theme)}`)
      await page.waitForTimeout(300)
      await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`) })
    }
  await page.setViewportSize({ width: 1280, height: 1000 })
}

const exchange = await startBinanceExchange({ market: "moving" })
const browser = await launchChromium()
let isAsWritten = true
try {
  const gateway = await startGateway({ env: { VENUE_ROUTES: JSON.stringify(exchange.routes) } })
  const { accessToken, user } = await signUpFounder(gateway, ADMIN)
  const calls = api(gateway).as(accessToken)
  const key = { apiKey: randomUUID(), apiSecret: randomUUID() }
  exchange.addUser({ ...key, balances: { USDT: "100000", BTC: "2" } })
  const { credentialId } = (await calls.createCredential({ venue: "BINANCE", ...key, name: "main" })).record
  const { tradingAccountId } = (
    await calls.connect({ venue: "BINANCE", credentialIds: [credentialId], nickname: "Main" })
  ).record
  await until("the account is ACTIVE", async () =>
    (await calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
  )
  const dealer = await calls.post<{ readonly dealerAccountId: string; readonly walletId: string }>("/dealer/create", {
    name: "Desk",
    baseCurrencies: ["BTC"],
    riskThreshold: "5",
    config: { pricingProfiles: { retail: { markupBps: 15, ttlBps: 1 } }, defaultPricingProfile: "retail" },
  })
  const { dealerAccountId } = dealer.record
  await calls.post("/dealer/account/link", { dealerAccountId, tradingAccountId })
  await calls.post("/wallet/deposit", { walletId: dealer.record.walletId, asset: "BTC", amount: "5" })
  const client = await calls.post<{ readonly walletId: string }>("/tradingAccount/connect", {
    venue: "INTERNAL",
    dealerAccountId,
    nickname: "At the desk",
  })
  await calls.post("/wallet/deposit", { walletId: client.record.walletId, asset: "USDT", amount: "100000" })
  await api(gateway).signup(MALLORY)

  const { page } = await openConsole(browser, gateway)
  await page.setViewportSize({ width: 1280, height: 1000 })
  await page.evaluate(`localStorage.setItem("console.instrument.${user.id}", ${JSON.stringify(MARKET)})`)
  await page.reload()
  await signIn(page, ADMIN)
  await page.evaluate("document.activeElement?.blur()")
  await page.waitForSelector("[data-trust=live]")
  const other = await openConsole(browser, gateway)
  await signIn(other.page, MALLORY)

  const seen = (text: string) => page.getByText(text).first().waitFor()
  /** Until the dealer has a price. */
  const priced = () =>
    until("a price of the desk", async () => {
      const asked = { dealerAccountId, instrumentId: "INTERNAL:BTC/USDT", orderSide: "BUY", quantity: "0.1", ttl: 1 }
      return (await calls.post<{ readonly status: string }>("/quote/request", asked)).record.status === "CREATED"
    })

  const tasks: ReadonlyArray<Task> = [
    {
      title: "Place an order and cancel it",
      play: async (hand) => {
        await hand.press("1")
        await hand.press("b")
        await hand.type("0.01")
        await hand.press("Tab")
        await hand.type("50000")
        await hand.press("Enter")
        await hand.press("Enter")
        await page.locator("table.orders").getByText("OPEN").waitFor()
        await photograph(page, "1-placed")
        // The ticket waits for the next quantity.
        await hand.press("Escape")
        await hand.press("x")
        await seen("No working orders.")
      },
    },
    {
      title: "Find why an order is in doubt",
      play: async (hand) => {
        exchange.fault({ fault: "suppressUserEvents", on: true })
        exchange.fault({ fault: "answer", match: "POST /api/v3/order", action: { kind: "apply-then-destroy" } })
        for (const match of ["GET /api/v3/order", "GET /api/v3/openOrders"])
          exchange.fault({ fault: "answer", match, times: "always", action: { kind: "status", status: 503 } })
        await calls.post("/tradeOrder/submit", {
          ...{ tradingAccountId, instrumentId: MARKET, orderSide: "BUY", orderType: "LIMIT" },
          ...{ quantity: "0.01", limitPrice: "50000" },
        })
        await page.locator("[data-doubt]").waitFor({ timeout: 60_000 })
        await hand.press("1")
        await photograph(page, "2-in-doubt")
        await hand.press("j")
        await hand.press("o")
        await seen("All orders")
      },
    },
    {
      title: "Take a quote before it ends",
      play: async (hand) => {
        exchange.fault({ fault: "clear" })
        await priced()
        await hand.press("5")
        await page.getByLabel("Quantity").waitFor()
        await hand.press("q")
        await hand.type("0.5")
        await hand.press("Enter")
        await page.waitForSelector("[data-quote]")
        await photograph(page, "3-firm")
        // A field still has the focus: there `t` is a letter.
        await hand.press("Escape")
        await hand.press("t")
        await page.locator("table").getByText("EXECUTED").first().waitFor()
      },
    },
    {
      title: "Find which venue is slow",
      play: async (hand) => {
        await hand.press("6")
        await page.locator("table").getByText("BINANCE").first().waitFor()
      },
    },
    {
      title: "Ban a user and see the session end",
      play: async (hand) => {
        await hand.press("6")
        await page.locator(`tr[data-user="${MALLORY}"]`).waitFor()
        await hand.press("u")
        await hand.type("mallory")
        await hand.press("Enter")
        await hand.press("Enter")
        await hand.type("stolen account")
        await photograph(page, "5-asked")
        await hand.press("Enter")
        await page.locator(`tr[data-user="${MALLORY}"]`).getByText("banned").waitFor()
        await other.page.getByText("Sign in again.").waitFor()
        await photograph(other.page, "5-other")
      },
    },
    {
      title: "Halt trading",
      play: async (hand) => {
        await hand.press("6")
        await hand.press("h")
        await hand.type("the venue lies")
        await hand.press("Tab")
        await hand.type("cancel_only")
        await photograph(page, "6-asked")
        await hand.press("Enter")
        await page.waitForSelector("[data-mode=cancel_only]")
      },
    },
    {
      title: "Read one wallet's statement",
      play: async (hand) => {
        await calls.post("/admin/tradingMode", { tradingMode: "online", reason: "it is back" })
        await hand.press("4")
        await seen("Statement of")
        await hand.press("j")
        await page.getByRole("group", { name: "Statement" }).locator("tbody tr").first().waitFor()
      },
    },
    {
      title: "Make an API key",
      play: async (hand) => {
        await hand.press("7")
        await page.getByRole("button", { name: "New key" }).waitFor()
        await hand.press("n")
        await hand.type("bot")
        await hand.press("Enter")
        await page.locator(".secret").waitFor()
      },
    },
  ]
  for (const [at, { title, play }] of tasks.entries()) {
    const hand = new Hand(page)
    await page.evaluate("document.activeElement?.blur()")
    await play(hand).catch(async (error: unknown) => {
      await page.screenshot({ path: join(folder, `${at + 1}-failed.png`) })
      throw error
    })
    await photograph(page, `${at + 1}-done`)
    const line = `${hand.steps.length} ${hand.steps.length === 1 ? "step" : "steps"}: ${hand.steps.join(" ")}`
    const isWritten = guide.includes(`## ${title}\n\n${line}\n`)
    isAsWritten &&= isWritten
    console.log(`${isWritten ? "ok  " : "new "} ${title}\n     ${line}`)
  }
} finally {
  await browser.close()
  await endGateways()
  await exchange.stop()
}
process.exit(isAsWritten ? 0 : 1)
