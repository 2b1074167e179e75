import type { AdapterBench } from './types.ts'

const ask = (url: string, task: string, stream: boolean): Promise<Response> =>
  fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'svc', max_tokens: 1000, stream, messages: [{ role: 'user', content: task }] }),
  })

/** The Messages API of Anthropic. */
export const anthropic: AdapterBench = {
  async request(url, task) {
    const response = await ask(url, task, false)
    const { type } = (await response.json()) as { type: string }
    if (type !== 'message') throw new Error(`${response.status} ${type}`)
  },
  async stream(url, task) {
    const response = await ask(url, task, true)
    const text = await response.text()
    if (!text.includes('event: message_stop')) throw new Error(`${response.status} ${text.slice(0, 200)}`)
    return text.split('event: content_block_delta').length - 1
  },
}
