/** A page of the console that is made to take a model's text for HTML, and one that stands in a stranger's frame. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openBrowser } from '../console/browser.ts'
import { openServer } from '../fixtures/open-server.ts'

export interface Outcome {
  /** Which of the texts put in as HTML ran: an inline handler, an inline script. */
  ran: string[]
  /** Addresses of a stranger's server that the page asked for. */
  fetched: string[]
  /** Whether the console was drawn inside a stranger's page. */
  isFramed: boolean
}

/** What a page would do whose code had the fault that the content policy is there for. */
const PUT_IN = (strange: string): string => `new Promise((resolve) => {
  const place = document.createElement('div')
  place.innerHTML = '<img src="/console/none.png" onerror="window.byHandler = true"><img src="${strange}/picture">'
  const script = document.createElement('script')
  script.textContent = 'window.byScript = true'
  document.body.append(place, script)
  const last = new Image()
  last.onload = last.onerror = () => fetch('${strange}/data').catch(() => {}).then(() => setTimeout(() =>
    resolve(['byHandler', 'byScript'].filter((name) => window[name] === true)), 200))
  last.src = '/console/none.png'
})`

export async function attack(): Promise<Outcome> {
  const opened = await openServer()
  const fetched: string[] = []
  const stranger = createServer(({ url = '' }, response) => {
    if (url !== '/frame') fetched.push(url)
    response.setHeader('Content-Type', 'text/html')
    response.end(url === '/frame' ? `<iframe src="${opened.url}/console/" width="800" height="600"></iframe>` : 'x')
  })
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  const strange = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
  const browser = await openBrowser()
  try {
    const { page } = await browser.open(`${opened.url}/console/`)
    const ran = await page.evaluate<string[]>(PUT_IN(strange))
    await page.goto(`${strange}/frame`)
    const inside = await page.locator('iframe').contentFrame().locator('html').innerHTML()
    return {
      ran,
      fetched: fetched.filter((url) => url !== '/favicon.ico').sort(),
      isFramed: inside.includes('id="app"'),
    }
  } finally {
    await browser.close()
    await opened.close()
    stranger.closeAllConnections()
    stranger.close()
  }
}
