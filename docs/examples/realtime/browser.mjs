// In a browser, with any bundler: the WebSocket is the browser's own, and the page stands on the gateway's host or one of ALLOWED_ORIGINS.
import { Centrifuge } from "centrifuge"

const socket = new URL("/connection/websocket", location.href.replace(/^http/, "ws"))

const client = new Centrifuge(socket.href, {
  // Your own server knows the user's session and hands out access tokens: a refresh token never belongs into a page.
  getToken: async () => (await fetch(new URL("/realtime-token", location.href), { credentials: "include" })).text(),
})

const ticker = client.newSubscription("market:ticker:MOCK:BTC/USDT")
ticker.on("publication", ({ data }) => {
  document.querySelector("#last-price").textContent = data.lastPrice
})
ticker.subscribe()
client.connect()
