/** The floor: the same runs over svc's own route. */
import type { AdapterBench } from './types.ts'

const ask = (url: string, task: string, accept: string): Promise<Response> =>
  fetch(`${url}/v1/runs?wait=60000`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ task, topology: 'SINGLE' }),
  })

export const plain: AdapterBench = {
  async request(url, task) {
    await (await ask(url, task, 'application/json')).text()
  },
  async stream(url, task) {
    const text = await (await ask(url, task, 'text/event-stream')).text()
    return text.split('event: message.delta').length - 1
  },
}
