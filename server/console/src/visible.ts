/**
 * Every text that the page shows goes through here, of whichever view: what takes no space, what changes the direction and
 * what controls a terminal stands as its code, such as `\u{202e}`, as the command line shows it. Values of fields stay as they are.
 */
import { toVisible } from '@svc/core/client'
import { options, type VNode } from 'preact'

const SHOWN = ['title', 'aria-label', 'alt', 'placeholder'] as const

function show(child: unknown): unknown {
  if (typeof child === 'string') return toVisible(child)
  return Array.isArray(child) ? child.map(show) : child
}

/** Begins with it, before anything is drawn. */
export function showUnseen(): void {
  const { vnode: before } = options
  options.vnode = (node: VNode) => {
    if (typeof node.type === 'string') {
      const props = node.props as Record<string, unknown>
      if (props.children !== undefined) props.children = show(props.children)
      for (const name of SHOWN) if (typeof props[name] === 'string') props[name] = toVisible(props[name])
    }
    before?.(node)
  }
}
