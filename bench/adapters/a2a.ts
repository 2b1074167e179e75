import type { AdapterBench } from './types.ts'

const ask = (url: string, task: string, path: string): Promise<Response> =>
  fetch(`${url}/a2a/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: task }] } }),
  })

/** A2A over HTTP+JSON: each request begins a context too. */
export const a2a: AdapterBench = {
  async request(url, task) {
    await (await ask(url, task, '/message:send')).text()
  },
  async stream(url, task) {
    const text = await (await ask(url, task, '/message:stream')).text()
    return text.split('"artifactUpdate"').length - 1
  },
}
