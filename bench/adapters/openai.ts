/** Chat completions and responses of OpenAI, by plain `fetch`. */
import type { AdapterBench } from './types.ts'

async function ask(url: string, body: object): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc', ...body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}

export const chat: AdapterBench = {
  async request(url, task) {
    await ask(`${url}/v1/chat/completions`, { messages: [{ role: 'user', content: task }] })
  },
  async stream(url, task) {
    const text = await ask(`${url}/v1/chat/completions`, { messages: [{ role: 'user', content: task }], stream: true })
    return text.split('"delta":{"content":').length - 1
  },
}

export const responses: AdapterBench = {
  async request(url, task) {
    await ask(`${url}/v1/responses`, { input: task })
  },
  async stream(url, task) {
    const text = await ask(`${url}/v1/responses`, { input: task, stream: true })
    return text.split('event: response.output_text.delta').length - 1
  },
}
