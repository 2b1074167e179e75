/** Further names of svc's own folders, by which a program could reach them. */
import { lstatSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isInside } from '../../files/workspace.ts'
import { linesOfProc, readFolder, stateOf, textOf, toPath } from './on-disk.ts'
import type { WorkspaceScan } from './scan.ts'

/** Where another mount shows a folder, a part of it, or what it lies in. */
export function mountedNames(folders: readonly string[]): string[] {
  const mounts = readMounts()
  if (mounts.length === 0) return []
  return folders.flatMap((folder) => {
    const own = mounts.filter(({ at }) => isInside(at, folder)).reduce((a, b) => (b.at.length >= a.at.length ? b : a))
    const inDevice = join(own.root, relative(own.at, folder))
    return mounts
      .filter((mount) => mount.device === own.device && mount !== own)
      .flatMap(({ root, at }) => {
        if (isInside(inDevice, root)) return [at]
        return isInside(root, inDevice) ? [join(at, relative(root, inDevice))] : []
      })
      .filter((path) => path !== folder && stateOf(path) !== 'nothing')
  })
}

/** Hard links in a workspace to files, and to those right in folders. */
export async function linkedNames(scan: WorkspaceScan, workspace: string, paths: readonly string[]): Promise<string[]> {
  const linked = new Set(
    paths
      .flatMap((path) => [path, ...(readFolder(path) ?? []).map(({ name }) => join(path, name))])
      .filter((path) => stateOf(path) === 'a file')
      .flatMap((path) => idOf(path, 2)),
  )
  const found: string[] = []
  if (linked.size > 0)
    await scan.find(workspace, (path) => {
      if (idOf(path, 2).some((id) => linked.has(id))) found.push(path)
    })
  return found
}

/** What tells a file from all others, where it has at least so many names. */
function idOf(path: string, names: number): string[] {
  const found = lstatSync(toPath(path), { throwIfNoEntry: false })
  return found !== undefined && found.nlink >= names ? [`${found.dev} ${found.ino}`] : []
}

/** The mounts that this process sees, in their order (`man 5 proc`, `mountinfo`). */
function readMounts(): { device: string; root: string; at: string }[] {
  return linesOfProc('/proc/self/mountinfo').map((line) => {
    const [, , device = '', root = '', at = ''] = line.split(' ')
    return { device, root: unescaped(root), at: unescaped(at) }
  })
}

const unescaped = (path: string): string =>
  textOf(
    Buffer.from(
      path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
      'latin1',
    ),
  )
