/** Ways from the sandbox to the system that it runs on. */
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type CommandResult, createShell } from '../../src/tools/programs/run-command.ts'
import { ProgramRunner } from '../../src/tools/sandbox/program-runner.ts'
import { createContext, createWorkspace } from '../fixtures/tool-context.ts'
import { type Kind, kindsHere } from './s30-attack.ts'

/** Opens for writing whatever a walk finds outside of the workspace and /tmp, and prints what opened. */
const WALK = `
import fs from 'node:fs'
const flags = fs.constants.O_WRONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW
const own = new Set([process.cwd(), '/tmp', '/usr', '/proc/self', '/proc/thread-self'])
let looked = 0
const walk = (path) => {
  if (own.has(path) || /^\\/proc\\/\\d+\\/(task|fd|fdinfo|map_files)$/.test(path)) return
  looked++
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isSymbolicLink()) return
  if (!found.isDirectory()) {
    try { fs.closeSync(fs.openSync(path, flags)); console.log('opens ' + path) } catch {}
    return
  }
  try { fs.writeFileSync(path + '/made-by-test', ''); console.log('made in ' + path) } catch {}
  let names = []
  try { names = fs.readdirSync(path) } catch {}
  for (const name of names) walk((path === '/' ? '' : path) + '/' + name)
}
process.stdout._handle?.setBlocking?.(true)
walk('/')
console.log(looked > 500 ? 'walked' : 'looked at too little')
`

/** Devices that keep nothing, the program's own terminal, and the memory that its processes share. */
const HARMLESS =
  /^(opens \/dev\/(null|zero|full|random|urandom|tty|ptmx|pts\/ptmx|console|shm\/made-by-test)|made in \/dev\/shm)$/

/** What opens for writing in the sandbox. */
export async function walkSystem(kind: Kind, network: boolean): Promise<string[]> {
  const { workspace } = await createWorkspace({ 'walk.mjs': WALK })
  const shell = createShell(new ProgramRunner({ sandbox: kind, network, guarded: { folders: [], programs: [] } }))
  const { stdout } = (await shell.run(
    { script: 'node walk.mjs', timeoutMs: 300_000 },
    createContext(workspace),
  )) as CommandResult
  const lines = stdout.trim().split('\n')
  return lines.at(-1) === 'walked' ? lines.slice(0, -1).filter((line) => !HARMLESS.test(line)) : lines
}

/** Ways to rights of somebody else; each prints `escaped` where it gets through. */
export const RIGHTS: Readonly<Record<string, string>> = {
  'is root': 'test "$(id -u)" = 0 && echo escaped',
  capabilities: 'grep -q "^Cap[^B]..:.*[1-9a-f]" /proc/self/status && echo escaped',
  'another mount of proc':
    'unshare --user --map-root-user --mount --pid --fork mount -t proc proc /proc && echo escaped',
  'the mount of proc made writable':
    'unshare --user --map-root-user --mount sh -c "mount -o remount,bind,rw /proc && echo escaped"',
  'a namespace of users': 'unshare --user true && echo escaped',
  'another mount of sys': 'unshare --user --map-root-user --mount --net mount -t sysfs sysfs /tmp && echo escaped',
  'an open descriptor of svc': 'for fd in /proc/self/fd/*; do readlink $fd; done | grep -q leaked && echo escaped',
}

/** Ways to a file that gives the person's rights to a user who starts it; each leaves one with a bit. */
const SET_ID: Readonly<Record<string, string>> = {
  chmod: 'cp /bin/true chmod; chmod 6755 chmod',
  fchmod: `node -e 'const f = fs.openSync("fchmod", "w"); fs.fchmodSync(f, 0o4755)'`,
  open: `node -e 'fs.openSync("open", "w", 0o4755)'`,
  older: 'chmod u+s older; mv older older-moved',
  'in a folder': 'mkdir -p node_modules/a; cp /bin/true node_modules/a/b; chmod 2755 node_modules/a/b',
  install: 'install -m 4755 /bin/true install',
}

/** The names of files that a program left with such a bit. */
export async function leaveSetId(kind: Kind): Promise<string[]> {
  const { workspace } = await createWorkspace({ older: 'x', 'own/mine': 'x' })
  await mkdir(join(workspace, 'own'), { recursive: true })
  await chmod(join(workspace, 'own/mine'), 0o4755)
  const shell = createShell(new ProgramRunner({ sandbox: kind, guarded: { folders: [], programs: [] } }))
  const context = createContext(workspace, { isApproved: true })
  await shell.run({ script: Object.values(SET_ID).join('\n'), timeoutMs: 60_000 }, context)
  const { stdout } = (await shell.run({ script: 'find . -type f -perm /6000' }, context)) as CommandResult
  return stdout.trim().split('\n').sort()
}

/** What gets through the first sandbox that works here. */
export async function attack(): Promise<string[]> {
  const [kind] = await kindsHere()
  return kind === undefined ? [] : leaveSetId(kind)
}
