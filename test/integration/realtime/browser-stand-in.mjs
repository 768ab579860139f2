// What docs/examples/realtime/browser.mjs uses of a browser: the page's address, its server's token route, one element, a WebSocket.
import { WebSocket } from "ws"

const { PAGE = "", TOKEN = "" } = process.env
const page = new URL(PAGE)

/** A browser names the page it stands on. */
class PageSocket extends WebSocket {
  constructor(url, protocols) {
    super(url, protocols, { origin: page.origin })
  }
}

const elementOf = (selector) => ({
  set textContent(text) {
    console.log(`${selector} ${text}`)
  },
})

globalThis.WebSocket = PageSocket
globalThis.location = page
globalThis.document = { querySelector: elementOf }
globalThis.fetch = async (url) => {
  if (new URL(url).href !== `${page.origin}/realtime-token`) throw new Error(`nothing is served at ${url}`)
  return new Response(TOKEN)
}
