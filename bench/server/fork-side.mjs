/** Starts one side of a bench and asks it things; lets sides take turns. */
import { fork } from 'node:child_process'
import { Agent, request } from 'node:http'

/**
 * @param {string} kind
 * @param {object} [options] see `side.mjs`
 * @param {string[]} [execArgv] of node
 */
export async function forkSide(kind, options = {}, execArgv = ['--expose-gc']) {
  const child = fork(new URL('side.mjs', import.meta.url), [kind, JSON.stringify(options)], { execArgv })
  const waiting = new Map()
  let count = 0
  const { url } = await new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`the side "${kind}" ended with ${code}`)))
  })
  child.on('message', ({ id, answer }) => waiting.get(id)?.(answer))
  /** @param {string} what @param {object} [more] */
  const ask = (what, more = {}) => {
    const id = ++count
    return new Promise((resolve) => {
      waiting.set(id, resolve)
      child.send({ id, ask: what, ...more })
    })
  }
  return {
    kind,
    url,
    pid: child.pid,
    ask,
    cpuMs: async () => (await ask('figures')).cpuMs,
    stop: () => child.kill('SIGKILL'),
  }
}

/**
 * Lets the sides do the same work in turn, none of them always the first.
 *
 * @param {{ cpuMs(): number | Promise<number> }[]} sides
 * @param {{ rounds: number, warmUp?: number, work(side: object): Promise<object | void> }} how the rounds of the warm-up
 *   come before and are not counted
 * @returns for each side a list by name of a figure: what its work answered, its `ms`, and `cpuMs` of its process
 */
export async function takeTurns(sides, { rounds, warmUp = 1, work }) {
  const figures = sides.map(() => ({}))
  for (let round = -warmUp; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const before = await side.cpuMs()
      const started = performance.now()
      const answer = await work(side)
      const ms = performance.now() - started
      const all = { ms, cpuMs: (await side.cpuMs()) - before, ...answer }
      if (round < 0) continue
      const lists = figures[sides.indexOf(side)]
      for (const [name, value] of Object.entries(all)) lists[name] = [...(lists[name] ?? []), value]
    }
  }
  return figures
}

const agent = new Agent({ keepAlive: true, maxSockets: 1_000 })

/** Closes what is idle: the other side may be about to. */
export const closeIdle = () => agent.destroy()

/** Sends JSON, or asks where there is none, and answers with the text that comes back. @throws for a status of 400 and more */
export function send(url, body) {
  return new Promise((resolve, reject) => {
    const bytes = body === undefined ? '' : JSON.stringify(body)
    const headers =
      bytes === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }
    const asked = request(url, { method: bytes === '' ? 'GET' : 'POST', headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () =>
        response.statusCode < 400 ? resolve(text) : reject(new Error(`${response.statusCode} ${text}`)),
      )
    })
    asked.on('error', reject)
    asked.end(bytes)
  })
}
