/** The console: who is signed in, which screen is shown, and the bar above all of them. Screens that are seldom open are loaded when they are. */
import { effect, signal, untracked } from "@preact/signals"
import { type ComponentType, render } from "preact"
import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import { age, bothClocks, clock, utcClock } from "./format.ts"
import { listenFor } from "./keyboard.ts"
import { accounts, begin, choose, chosen, link, linkSince, now, tradingMode } from "./live.ts"
import { ProofDialog } from "./parts/proof.tsx"
import { Dialog, Empty, Hint, Problem } from "./parts/ui.tsx"
import { SignIn } from "./screens/sign-in.tsx"
import { TradeScreen } from "./screens/trade.tsx"
import { end, leave, may, mayGoOn, renew, session, trouble, userId } from "./session.ts"
import { type Acts, allShortcuts, capOf } from "./shortcuts.ts"
import { resume } from "./trade/sent.ts"
import "./style/base.css"
import "./style/forms.css"
import "./style/trade.css"
import "./style/books.css"
import "./style/screens.css"

interface Screen {
  /** Its own, whatever the user may see: where a screen is not for all, the others keep their keys. */
  readonly digit: keyof Acts<"screens">
  readonly name: string
  readonly title: string
  readonly isFor: () => boolean
  readonly load: () => Promise<ComponentType<{ readonly rest: string }>>
}

const SCREENS: ReadonlyArray<Screen> = [
  {
    digit: "Digit1",
    name: "trade",
    title: "Trade",
    isFor: () => may("read"),
    load: () => Promise.resolve(TradeScreen),
  },
  {
    digit: "Digit2",
    name: "books",
    title: "Books",
    isFor: () => may("read"),
    load: async () => (await import("./screens/books.tsx")).BooksScreen,
  },
  {
    digit: "Digit3",
    name: "orders",
    title: "Orders",
    isFor: () => may("read"),
    load: async () => (await import("./screens/orders.tsx")).OrdersScreen,
  },
  {
    digit: "Digit4",
    name: "wallets",
    title: "Wallets",
    isFor: () => may("read"),
    load: async () => (await import("./screens/wallets.tsx")).WalletsScreen,
  },
  {
    digit: "Digit5",
    name: "quotes",
    title: "Quotes",
    isFor: () => may("read"),
    load: async () => (await import("./screens/quotes.tsx")).QuotesScreen,
  },
  {
    digit: "Digit6",
    name: "operator",
    title: "Operator",
    isFor: () => may("admin"),
    load: async () => (await import("./screens/operator.tsx")).OperatorScreen,
  },
  {
    digit: "Digit7",
    name: "keys",
    title: "Keys",
    isFor: () => true,
    load: async () => (await import("./screens/keys.tsx")).KeysScreen,
  },
]

const route = signal(location.hash)
addEventListener("hashchange", () => {
  route.value = location.hash
})

const THEME = "console.theme"
const setTheme = (theme: string): void => {
  document.documentElement.dataset["theme"] = theme
}
setTheme(localStorage.getItem(THEME) ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"))
const turnTheme = (): void => {
  const next = document.documentElement.dataset["theme"] === "dark" ? "light" : "dark"
  localStorage.setItem(THEME, next)
  setTheme(next)
}

const Connection = () => {
  const words = { live: "live", connecting: "connecting", cut: "cut" }[link.value]
  return (
    <span id="link" class={`badge ${link.value === "live" ? "live" : "bad"}`} data-link={link.value} role="status">
      {words}
      {link.value === "cut" && ` ${age(now.value - linkSince.value)}`}
    </span>
  )
}

const Clocks = () => (
  <span class="clocks num" title={bothClocks(now.value)}>
    {clock(now.value)} <span class="dim">{utcClock(now.value)} UTC</span>
  </span>
)

const AccountPicker = () =>
  accounts.value === null || accounts.value.length === 0 ? null : (
    <select
      aria-label="Trading account"
      value={chosen.value?.tradingAccountId ?? ""}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {accounts.value.map((it) => (
        <option key={it.tradingAccountId} value={it.tradingAccountId}>
          {it.venue} · {it.nickname || it.externalTradingAccountId}
          {it.status === "ACTIVE" ? "" : ` (${it.status.toLowerCase()})`}
        </option>
      ))}
    </select>
  )

const Help = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keys" class="shortcuts" onClose={onClose}>
    <div class="places">
      {[...allShortcuts()].map(([where, keys]) => (
        <section key={where}>
          <h3>{where}</h3>
          <dl>
            {keys.map(([cap, what]) => (
              <div key={cap + what}>
                <dt>
                  <kbd>{cap}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  </Dialog>
)

const Shown = ({ screen, rest }: { readonly screen: Screen; readonly rest: string }) => {
  const [view, setView] = useState<{
    readonly name: string
    readonly of: ComponentType<{ readonly rest: string }>
  } | null>(screen.name === "trade" ? { name: "trade", of: TradeScreen } : null)
  useEffect(() => {
    let isOver = false
    screen.load().then(
      (of) => {
        if (!isOver) setView({ name: screen.name, of })
      },
      // Another version of the gateway has other files: the page begins anew with them.
      () => location.reload(),
    )
    return () => {
      isOver = true
    }
  }, [screen])
  if (view === null || view.name !== screen.name) return <Empty>Loading…</Empty>
  const View = view.of
  return <View rest={rest} />
}

const Page = () => {
  const [isHelping, setHelping] = useState(false)
  const screens = SCREENS.filter(({ isFor }) => isFor())
  const [, name = "", ...rest] = route.value.split("/")
  const screen = screens.find((it) => it.name === name) ?? screens[0]
  useLayoutEffect(() => listenFor("help", { "?": () => setHelping(true) }), [])
  useLayoutEffect(
    () =>
      listenFor(
        "screens",
        Object.fromEntries(
          SCREENS.map(({ digit, name, isFor }) => [
            digit,
            () => {
              if (isFor()) location.hash = `#/${name}`
            },
          ]),
        ) as Acts<"screens">,
      ),
    [],
  )
  return (
    <>
      <header class="bar">
        <strong class="brand">Gateway</strong>
        <nav aria-label="Screens">
          {screens.map((it) => (
            <a
              key={it.name}
              href={`#/${it.name}`}
              aria-current={it === screen ? "page" : undefined}
              title={`key ${capOf(it.digit)}`}
            >
              {it.title}
            </a>
          ))}
        </nav>
        <span class="grow" />
        {session.value?.mode === "read" && <span class="badge doubt">read only</span>}
        {tradingMode.value !== null && tradingMode.value !== "online" && (
          <span class="badge bad" role="status" data-trading={tradingMode.value}>
            trading: {tradingMode.value}
          </span>
        )}
        {trouble.value !== null && (
          <Hint lines={[`The session could not be renewed: ${trouble.value}.`, "It is tried again by itself."]}>
            <span class="badge doubt" role="status" data-trouble={true}>
              session not renewed
            </span>
          </Hint>
        )}
        <AccountPicker />
        <Connection />
        <Clocks />
        <button type="button" class="quiet" aria-label="Light or dark" title="Light or dark" onClick={turnTheme}>
          ◐
        </button>
        <button type="button" class="quiet" title="Keys" aria-label="Keys" onClick={() => setHelping(true)}>
          <kbd>?</kbd>
        </button>
        <button type="button" class="quiet" title={session.value?.user.email ?? ""} onClick={() => void end()}>
          Sign out
        </button>
      </header>
      <main>
        <h1 class="unseen">{screen?.title ?? "Gateway"}</h1>
        {screen === undefined ? (
          <Empty>You have no right to see anything.</Empty>
        ) : (
          <Shown screen={screen} rest={rest.join("/")} />
        )}
      </main>
      {isHelping && <Help onClose={() => setHelping(false)} />}
      <ProofDialog />
    </>
  )
}

const App = () => {
  if (session.value === undefined)
    return (
      <>
        <Empty>Signing in…</Empty>
        {trouble.value !== null && (
          <div data-trouble={true}>
            <Problem>The session could not be renewed yet: {trouble.value}. It is tried again by itself.</Problem>
            <button type="button" class="quiet" onClick={() => leave(null)}>
              Sign in anew
            </button>
          </div>
        )}
      </>
    )
  return session.value === null ? <SignIn /> : <Page />
}

const box = document.getElementById("console")
if (box !== null) render(<App />, box)
begin()
effect(() => {
  // What is on its way is read and written there: this follows the user alone.
  if (userId.value !== null) untracked(resume)
})

// Without an answer it is asked again by itself: no user is signed out by a gateway that starts.
if (mayGoOn()) renew().catch(() => undefined)
else leave(null)
