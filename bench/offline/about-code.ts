import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ask, has, type Maker } from './about-package.ts'
import { isSource, isTest, type Project } from './project.ts'
import { choose, squeeze } from './score.ts'

interface Place {
  name: string
  path: string
  line: number
}

/** Definitions by their first words, in files that are no tests. */
function definitionsIn({ files, language }: Project): Place[] {
  const pattern =
    language === 'python'
      ? /^(?:async )?(?:def|class) ([A-Za-z]\w{3,})/
      : /^(?:export )?(?:default )?(?:declare )?(?:async )?(?:function\*?|class) ([A-Za-z]\w{3,})/
  return placesOf(files, (line) => pattern.exec(line)?.[1])
}

/** `res.json = function` and the like, the object's name before the member's. */
const assignedIn = ({ files }: Project): Place[] =>
  placesOf(
    files,
    (line) => /^(?:module\.)?([a-z]\w*\.(?!prototype)\w{3,}) = (?:async )?(?:function|\()/.exec(line)?.[1],
  ).filter(({ name }) => !/^(?:exports|module|this)\./.test(name))

const placesOf = (files: Project['files'], read: (line: string) => string | undefined): Place[] =>
  files
    .filter((file) => isSource(file) && !isTest(file))
    .flatMap(({ path, lines }) =>
      lines.flatMap((line, index) => {
        const name = read(line)
        return name === undefined ? [] : [{ name, path, line: index + 1 }]
      }),
    )

/** One name, asked for by its place. */
const whereIs =
  (kind: string, find: (project: Project) => Place[], wordings: (name: string) => string[]): Maker =>
  (project) => {
    const all = find(project)
    const few = all.filter(({ name }) => all.filter((other) => other.name === name).length <= 3)
    const one = choose(few, project.name)
    if (!one) return undefined
    const own = all.filter(({ name }) => name === one.name)
    return ask(
      kind,
      wordings(one.name),
      project.name,
      (answer) => own.some(({ path, line }) => new RegExp(`${escapeRegex(path)}:${line}\\b`).test(answer)),
      (answer) => {
        const said = /\bdefined in `([^`]+)`/.exec(answer)?.[1]
        return (
          /I found nothing named|I found no definition/.test(answer) ||
          (said !== undefined && !own.some(({ path }) => path === said))
        )
      },
    )
  }

const escapeRegex = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const defines = whereIs('defines', definitionsIn, (name) => [
  `Which file defines ${name}?`,
  `Where is ${name} defined?`,
  `In which file is \`${name}\` implemented?`,
])
const assigned = whereIs('assigned', assignedIn, (name) => [
  `Which file defines ${name}?`,
  `Where is ${name} implemented?`,
])

interface Members {
  name: string
  /** Names without a mark of privacy, that a good list holds. */
  names: string[]
  /** How many there are, by any way of counting. */
  most: number
}

/** The class with the most methods among those that the package hands out when it is loaded. */
async function loadedClass({ folder, name }: Project): Promise<Members | undefined> {
  const path = createRequire(join(folder, 'package.json')).resolve(name)
  const loaded = (await import(path)) as Record<string, unknown>
  const values = { ...(loaded.default as object), ...loaded, [camel(name)]: loaded.default }
  const classes = Object.entries(values).flatMap(([key, value]) => {
    if (typeof value !== 'function' || typeof value.prototype !== 'object' || value.prototype === null) return []
    const own = Object.getOwnPropertyDescriptors(value.prototype as object)
    const all = Object.keys(own).filter((member) => member !== 'constructor')
    const names = all.filter((member) => typeof own[member]?.value === 'function' && !member.startsWith('_'))
    const statics = Object.getOwnPropertyNames(value).length
    return value.name !== '' && names.length >= 3 && (value.name === key || key === camel(name))
      ? [{ name: value.name, names, most: all.length + statics + 2 }]
      : []
  })
  return classes.sort((a, b) => b.names.length - a.names.length || (a.name < b.name ? -1 : 1))[0]
}

const camel = (name: string): string => name.replace(/-(\w)/g, (_, char: string) => char.toUpperCase())

const LIST_CLASSES = `
import ast, json, sys
found = []
for path in sys.argv[1:]:
    try: tree = ast.parse(open(path).read())
    except SyntaxError: continue
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names = {f.name for f in node.body if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef))}
            if names: found.append({"name": node.name, "names": sorted(n for n in names if not n.startswith("_")), "most": len(names)})
print(json.dumps(found))`

function parsedClass({ folder, files }: Project): Members | undefined {
  const paths = files.filter((file) => file.path.endsWith('.py') && !isTest(file)).map(({ path }) => path)
  const found = JSON.parse(
    execFileSync('python3', ['-c', LIST_CLASSES, ...paths], { cwd: folder, encoding: 'utf8' }),
  ) as Members[]
  const once = found.filter(
    ({ name, names }) => names.length >= 3 && found.filter((other) => other.name === name).length === 1,
  )
  return once.sort((a, b) => b.names.length - a.names.length || (a.name < b.name ? -1 : 1))[0]
}

/** Questions about the methods of the class with the most of them. */
export async function aboutClass(project: Project): Promise<Maker[]> {
  const found = project.language === 'python' ? parsedClass(project) : await loadedClass(project).catch(() => undefined)
  if (!found) return []
  const { name, names, most } = found
  const miscounts = (answer: string): boolean => {
    const said = /(at least )?\b(\d+) methods?\b/i.exec(answer)
    return said !== null && (Number(said[2]) > most || (said[1] === undefined && Number(said[2]) < names.length))
  }
  const wrong = (answer: string): boolean =>
    /I found nothing named|I found no (?:definition|method)/.test(answer) || miscounts(answer)
  const lists = (answer: string): boolean => names.filter((one) => has(answer, one)).length >= 0.9 * names.length
  const counts = (answer: string): boolean => {
    const said = Number(/\b(\d+) methods?\b/.exec(answer)?.[1])
    return said >= names.length && said <= most
  }
  return [
    () =>
      ask(
        'methods',
        [`What methods does the class ${name} have?`, `List the methods of ${name}.`],
        project.name,
        lists,
        wrong,
      ),
    () =>
      ask(
        'method-count',
        [`How many methods does the class ${name} have?`, `How many methods are there in ${name}?`],
        project.name,
        counts,
        wrong,
      ),
  ]
}

/** Who brings in a module that a few files bring in. */
const imports: Maker = (project) => {
  const found = new Map<string, Set<string>>()
  for (const { path, lines } of project.files.filter((file) => isSource(file))) {
    for (const line of lines) {
      const name =
        project.language === 'python'
          ? /^(?:from|import) ([a-z]\w+)\b/.exec(line)?.[1]
          : /(?:\brequire\(|\bfrom |^import )["'](?:node:)?([\w@/-]+)["']/.exec(line)?.[1]
      if (name !== undefined && !/^\s*(?:\/\/|\*)/.test(line)) found.set(name, (found.get(name) ?? new Set()).add(path))
    }
  }
  const [name, paths] =
    choose(
      [...found].filter(([key, own]) => key.length > 2 && own.size >= 2 && own.size <= 10),
      project.name,
    ) ?? []
  if (name === undefined || paths === undefined) return undefined
  const wordings = [`Which files import ${name}?`, `Where is the module ${name} imported?`]
  return ask(
    'imports',
    wordings,
    project.name,
    (answer) => [...paths].every((path) => squeeze(answer).includes(path)),
    (answer) => {
      const said = /(at least )?\b(\d+) files? imports?\b/i.exec(answer)
      return /I found no file/.test(answer) || (said !== null && said[1] === undefined && Number(said[2]) < paths.size)
    },
  )
}

export const ABOUT_CODE: readonly Maker[] = [defines, assigned, imports]
