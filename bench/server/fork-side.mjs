/** Starts one side of a bench and asks it things. */
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
  return {
    kind,
    url,
    pid: child.pid,
    /** @param {string} what @param {object} [more] */
    ask(what, more = {}) {
      const id = ++count
      return new Promise((resolve) => {
        waiting.set(id, resolve)
        child.send({ id, ask: what, ...more })
      })
    },
    stop() {
      child.kill('SIGKILL')
    },
  }
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
