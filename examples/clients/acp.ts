/** An editor of the Agent Client Protocol talks to `svc acp`. */
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'
import { argumentsFor } from '../../.tools/launch.ts'

const svc = argumentsFor(new URL('../../cli/src/main.ts', import.meta.url)) // where svc is installed: spawn('svc', ['acp'])
const { stdin, stdout } = spawn(process.execPath, [...svc, 'acp'], { stdio: ['pipe', 'pipe', 'inherit'] })
const stream = acp.ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>)

await acp.client({ name: 'example' }).connectWith(stream, async (editor) => {
  await editor.request('initialize', { protocolVersion: acp.PROTOCOL_VERSION })
  await editor.buildSession(tmpdir()).withSession(async (session) => {
    void session.prompt('What is 17% of 2340?')
    console.log(await session.readText())
  })
})
stdin.end()
