/** A value of a JSON, TOML or INI file and the lines that it stands on. */
export interface DataNode {
  readonly path: readonly (string | number)[]
  /** Of a leaf; undefined for an object or an array. */
  readonly value: string | number | boolean | null | undefined
  readonly type: 'object' | 'array' | 'leaf'
  readonly line: number
  /** Last line; of an object or array the one of its closing bracket. */
  end: number
}

/** The node at a path. */
export function findNode(nodes: readonly DataNode[], ...path: (string | number)[]): DataNode | undefined {
  return nodes.find((node) => node.path.length === path.length && path.every((key, index) => node.path[index] === key))
}

/** The direct children of the node at a path, in order. */
export function childrenOf(nodes: readonly DataNode[], ...path: (string | number)[]): DataNode[] {
  return nodes.filter(
    (node) => node.path.length === path.length + 1 && path.every((key, index) => node.path[index] === key),
  )
}
