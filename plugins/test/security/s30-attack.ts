/** Ways out of the sandbox of programs, and to what is kept or closed in it. Harmless where there is none. */
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ClosedPaths, ToolConfig } from '@svc/core'
import { toTool } from '../../src/tools/configured/from-config.ts'
import { type CommandResult, createShell } from '../../src/tools/programs/run-command.ts'
import { findSandbox } from '../../src/tools/sandbox/find-sandbox.ts'
import { ProgramRunner } from '../../src/tools/sandbox/program-runner.ts'
import { createContext, createWorkspace } from '../fixtures/tool-context.ts'

export type Kind = 'bwrap' | 'unshare'

/** The sandboxes that work here. */
export async function kindsHere(): Promise<Kind[]> {
  const found: Kind[] = []
  for (const kind of ['bwrap', 'unshare'] as const) {
    const { kind: there, problems } = await findSandbox(kind)
    if (there === undefined) console.log(`skipped with ${kind}: ${problems.join('; ')}`)
    else found.push(kind)
  }
  return found
}

const CANARY = 'canary-4711'
const CLOSED: ClosedPaths = {
  globs: ['secrets/*', '**/.env', 'closed.txt'],
  has: (path) => /^secrets\/|(^|\/)\.env$|^closed\.txt$/.test(path),
}

/** Each prints the canary, or `escaped`, where it gets through. */
function escapes(top: string, home: string, port: number): Record<string, string> {
  return {
    'home folder': `cat ${home}/.ssh/id; cat ~/.ssh/id; find /home /root -name id -exec cat {} + 2>/dev/null`,
    'other folder': `cat ${top}/beside.txt ../beside.txt /proc/self/cwd/../beside.txt /proc/self/root${top}/beside.txt`,
    'own environment': 'env | grep canary',
    'environment of svc': `grep -qa . /proc/${process.pid}/environ && echo escaped; cat /proc/*/environ | tr '\\0' '\\n' | grep canary`,
    'files of svc': `cat /proc/${process.pid}/root${top}/beside.txt /proc/1/root${top}/beside.txt`,
    'first process': 'grep -q -v -e sh -e bwrap -e unshare -e prlimit /proc/1/comm && echo escaped',
    'signal to svc': `kill -0 ${process.pid} && echo escaped`,
    'server of this machine': `node -e 'fetch("http://127.0.0.1:${port}").then((r) => r.text()).then(console.log)'`,
    'address of the web': `node -e 'require("net").connect(53, "9.9.9.9").on("connect", () => console.log("escaped")).setTimeout(500, process.exit)'`,
    'write beside': `echo x > ${top}/made; echo x > ${home}/made; echo x > /usr/made-by-svc-test; ls ${top}/made ${home}/made && echo escaped`,
    'other user': 'setpriv --reuid 65534 --clear-groups true && echo escaped',
    capabilities:
      'mount -t tmpfs none /mnt && echo escaped; mknod /tmp/disk b 8 0 && echo escaped; chroot / true && echo escaped',
    kernel:
      'echo 1 > /proc/sys/kernel/sysrq && echo escaped; cat /proc/kcore | head -c 1 | grep -q . && echo escaped; true',
    debugger: `nsenter -t ${process.pid} -m true && echo escaped`,
    'closed files':
      'cat secrets/* .env sub/.env closed.txt here/key.txt near.txt; find . -type f -exec cat {} +; cp -r secrets /tmp/s; cat /tmp/s/*; mv secrets s2; cat s2/*',
  }
}

/** Each changes a file that is executed later. */
const CHANGES = `
for file in scripts/check.sh package.json sub/Makefile .github/ci.yml svc.config.ts .svc/tools/a.json
do echo evil >> $file; sed -i s/^/evil/ $file; rm -f $file; mv $file moved; echo evil > $file; done
mv scripts scripts2; mkdir scripts; echo evil > scripts/check.sh
mv sub sub2; mkdir sub; echo evil > sub/Makefile
rm linked.sh; echo evil > linked.sh; echo evil > linked2.sh; mv linked2.sh linked.sh
echo evil > Makefile; echo evil > .envrc; mkdir -p .husky; echo evil > .husky/pre-commit`
const LATER =
  'scripts/check.sh package.json sub/Makefile .github/ci.yml linked.sh Makefile .envrc .husky/pre-commit svc.config.ts .svc/tools/a.json'

/** What gets through, by its name. */
export async function escapeFrom(kind: Kind): Promise<string[]> {
  const { top, workspace } = await createWorkspace({
    'secrets/key.txt': CANARY,
    '.env': CANARY,
    'sub/.env': CANARY,
    'closed.txt': CANARY,
    'scripts/check.sh': '#!/bin/sh\ntrue\n',
    'sub/Makefile': 'all:\n',
    'package.json': '{}',
    '.github/ci.yml': '',
    'svc.config.ts': '',
    '.svc/tools/a.json': '{}',
    'real.sh': 'true\n',
  })
  const home = join(top, 'home')
  await mkdir(join(home, '.ssh'), { recursive: true })
  await writeFile(join(home, '.ssh/id'), CANARY)
  await writeFile(join(top, 'beside.txt'), CANARY)
  await chmod(join(workspace, 'scripts/check.sh'), 0o755)
  await symlink('secrets', join(workspace, 'here'))
  await symlink('closed.txt', join(workspace, 'near.txt'))
  await symlink('real.sh', join(workspace, 'linked.sh'))
  const server = createServer((_, response) => response.end(CANARY))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { HOME } = process.env
  Object.assign(process.env, { HOME: home, SVC_TEST_KEY: CANARY })
  const through: string[] = []
  try {
    const programs = ['scripts/check.sh', 'linked.sh', 'real.sh'].map((name) => join(workspace, name))
    const runner = new ProgramRunner({ sandbox: kind, guarded: { folders: [], programs } })
    const context = createContext(workspace, { closedPaths: CLOSED })
    const shell = createShell(runner)
    const parts = Object.entries(escapes(top, home, port)).map(([name, part]) => `echo "== ${name}"; { ${part}; } 2>&1`)
    const script = `${parts.join(' | head -c 300\n')} | head -c 300`
    const { stdout } = (await shell.run({ script, timeoutMs: 60_000 }, context)) as CommandResult
    for (const section of stdout.split('== ')) {
      const [name = ''] = section.split('\n')
      if (section.includes(CANARY) || /^escaped$/m.test(section)) through.push(name)
    }
    const parameters = { type: 'object', properties: { path: { type: 'string' } } }
    const cat: ToolConfig = { description: 'Reads.', parameters, risk: 'read', command: ['cat', '--', '{path}'] }
    for (const touches of [{}, { touches: { paths: [] } }]) {
      const tool = toTool('cat', { ...cat, ...touches }, { runner })
      for (const path of [
        `/proc/${process.pid}/environ`,
        '/proc/self/environ',
        '/etc/shadow',
        '../beside.txt',
        'here/key.txt',
        '.env',
      ]) {
        const text = await tool.run({ path }, context).then(String, () => '')
        const isOfSvc = path.includes(`${process.pid}`) && text.includes('PATH=')
        if (text.includes(CANARY) || isOfSvc) through.push(`drop-in ${path.replace(/\d+/, 'pid')}`)
      }
    }
    await shell.run({ script: CHANGES }, createContext(workspace))
    for (const name of LATER.split(' ')) {
      const path = join(workspace, name)
      if (existsSync(path) && readFileSync(path, 'utf8').includes('evil')) through.push(`changes ${name}`)
    }
    if (!existsSync(join(workspace, 'scripts/check.sh'))) through.push('removes scripts/check.sh')
  } finally {
    Object.assign(process.env, { HOME })
    delete process.env.SVC_TEST_KEY
    server.closeAllConnections()
    server.close()
  }
  return [...new Set(through)]
}

/** What gets through the first sandbox that works here. */
export async function attack(): Promise<string[]> {
  const [kind] = await kindsHere()
  return kind === undefined ? [] : escapeFrom(kind)
}
