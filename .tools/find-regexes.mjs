/** The regular expressions of the source, those that are put together of constants included. */
import { readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'

/** @returns `{ line, source, flags }` of each */
export function findRegexes(file) {
  const code = readFileSync(file, 'utf8')
  const program = parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file)
  const constants = new Map()
  const found = []
  visit(program, (node) => {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init)
      constants.set(node.id.name, node.init)
  })
  const add = (node, source, flags) => found.push({ line: code.slice(0, node.start).split('\n').length, source, flags })
  visit(program, (node) => {
    if (node.type === 'Literal' && node.regex) add(node, node.regex.pattern, node.regex.flags)
    if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return
    if (node.callee.name !== 'RegExp') return
    const [pattern, flags] = node.arguments
    add(node, textOf(pattern, constants), flags?.type === 'Literal' ? String(flags.value) : '')
  })
  return found
}

/** What an expression says, with a word for what is known only at run time. */
function textOf(node, constants) {
  const text = (one) => textOf(one, constants)
  switch (node.type) {
    case 'Literal':
      return node.regex?.pattern ?? String(node.value)
    case 'TemplateLiteral':
      return joined(node, (part) => part.cooked)
    case 'TaggedTemplateExpression':
      return joined(node.quasi, (part) => part.raw)
    case 'BinaryExpression':
      return text(node.left) + text(node.right)
    case 'MemberExpression':
      return node.property.name === 'source' ? text(node.object) : 'name'
    case 'Identifier':
      return constants.has(node.name) && !isFunction(constants.get(node.name)) ? text(constants.get(node.name)) : 'name'
    default:
      return 'name'
  }
  function joined({ quasis, expressions }, spelled) {
    return quasis
      .map(({ value }, at) => spelled(value) + (at < expressions.length ? text(expressions[at]) : ''))
      .join('')
  }
}

const isFunction = ({ type }) => type === 'ArrowFunctionExpression' || type === 'FunctionExpression'

function visit(node, handle) {
  if (Array.isArray(node)) for (const one of node) visit(one, handle)
  else if (typeof node === 'object' && node !== null) {
    if (typeof node.type === 'string') handle(node)
    for (const [key, value] of Object.entries(node))
      if (key !== 'regex' && typeof value === 'object') visit(value, handle)
  }
}
