import type { AdapterBench } from './types.ts'

const ask = (url: string, content: string): Promise<Response> =>
  fetch(`${url}/agui`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({
      threadId: crypto.randomUUID(),
      runId: crypto.randomUUID(),
      messages: [{ id: '1', role: 'user', content }],
      tools: [],
      context: [],
    }),
  })

/** AG-UI answers with a stream always. */
export const agui: AdapterBench = {
  async request(url, task) {
    await (await ask(url, task)).text()
  },
  async stream(url, task) {
    const text = await (await ask(url, task)).text()
    return text.split('"TEXT_MESSAGE_CONTENT"').length - 1
  },
}
