/** Names of files that a run must not be handed: outside of the workspace, by links, under a rule, and what is no file. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openServer } from '../fixtures/open-server.ts'

const SECRET = 'CANARY-outside'
const DENIED = 'CANARY-denied'

/** What comes of asking for a run with each of the names, and which secrets the model was shown. */
export interface Outcome {
  answers: Record<string, [status: number, code: unknown, field: unknown]>
  seen: string[]
  listed: unknown
}

export async function attack(): Promise<Outcome> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-s12-')))
  const workspace = join(folder, 'ws')
  mkdirSync(join(workspace, 'src'), { recursive: true })
  mkdirSync(join(folder, 'ws-evil'))
  writeFileSync(join(folder, 'ws-evil', 'secret.txt'), SECRET)
  writeFileSync(join(workspace, '.env'), DENIED)
  writeFileSync(join(workspace, 'src', 'a.ts'), 'an open file')
  symlinkSync('../ws-evil/secret.txt', join(workspace, 'link.txt'))
  symlinkSync('../ws-evil', join(workspace, 'folder'))
  symlinkSync('/dev/zero', join(workspace, 'zero'))
  symlinkSync('.env', join(workspace, 'innocent.txt'))
  const world = await openServer({
    config: { policy: { rules: [{ tool: 'read_file', paths: ['.env'], decision: 'deny' }] } },
    runtime: { workspace },
  })
  const names = {
    parent: '../ws-evil/secret.txt',
    absolute: join(folder, 'ws-evil', 'secret.txt'),
    link: 'link.txt',
    folderLink: 'folder/secret.txt',
    climbingGlob: '../ws-evil/*.txt',
    denied: '.env',
    deniedByLink: 'innocent.txt',
    device: '/dev/zero',
    deviceLink: 'zero',
    nul: 'a\0b',
    folder: 'src',
    missing: 'no-such.txt',
  }
  try {
    const answers: Outcome['answers'] = {}
    for (const [what, name] of Object.entries(names)) {
      const { status, json } = await world.ask('POST', '/v1/runs?wait=60000', {
        body: { task: 'Say hi.', files: [name] },
      })
      answers[what] = [status, json.code, (json.errors as { path: string }[] | undefined)?.[0]?.path]
    }
    const many = { task: 'Say hi.', files: Array.from({ length: 10_000 }, (_, index) => `src/${index}.ts`) }
    const refused = await world.ask('POST', '/v1/runs', { body: many })
    answers.tenThousand = [refused.status, refused.json.code, (refused.json.errors as { path: string }[])?.[0]?.path]
    await world.ask('POST', '/v1/runs?wait=60000', { body: { task: 'Say hi.', files: ['**/*'] } })
    const shown = JSON.stringify(world.provider.requests)
    const { json: listed } = await world.ask('GET', '/v1/files?limit=100')
    return { answers, seen: [SECRET, DENIED, 'an open file'].filter((text) => shown.includes(text)), listed }
  } finally {
    await world.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
