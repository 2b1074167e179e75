import { isPythonPath } from './symbols.ts'

/** What a line of code brings in, as it is written: `./a.ts`, `lodash/fp`, `.models`. Undefined for other lines. */
export function readImport(path: string, text: string): string | undefined {
  if (text.length > 400) return undefined
  if (isPythonPath(path)) {
    const match = /^\s*(?:from\s+(\.+(?:\w[\w.]*)?|\w[\w.]*)\s+import\b|import\s+([\w.]+))/.exec(text)
    return match?.[1] ?? match?.[2]
  }
  if (/^\s*(?:\*|\/\/|\/\*)/.test(text)) return undefined
  const match =
    /(?:^|\s|[({,;}])from\s*["']([^"']+)["']/.exec(text) ??
    /(?:^|[^\w.])(?:require|import)\(\s*["']([^"']+)["']/.exec(text) ??
    /^\s*import\s*["']([^"']+)["']/.exec(text)
  return match?.[1]
}

/** The path that a relative import means, without its ending; undefined for a package. */
export function resolveImport(path: string, specifier: string): string | undefined {
  const folder = path.split('/').slice(0, -1)
  if (isPythonPath(path)) {
    const dots = /^\.*/.exec(specifier)?.[0].length ?? 0
    const parts = specifier
      .slice(dots)
      .split('.')
      .filter((part) => part !== '')
    if (dots === 0) return parts.join('/')
    return [...folder.slice(0, folder.length - (dots - 1)), ...parts].join('/')
  }
  if (!specifier.startsWith('.')) return undefined
  const parts = [...folder]
  for (const part of specifier.split('/')) {
    if (part === '..') {
      if (parts.length === 0) return undefined
      parts.pop()
    } else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/').replace(/\.(?:[cm]?[jt]sx?|json)$/, '')
}
