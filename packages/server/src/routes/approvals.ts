import { defined } from '../defined.ts'
import { type Route, route } from '../http/route.ts'
import { approvalList, approvalsQuery } from '../schemas/runs.ts'

export const approvalRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/approvals',
    owner: 'list',
    tag: 'approvals',
    summary: 'What people were asked, and who decided it how: in the order in which it was asked.',
    query: approvalsQuery,
    answers: { 200: { description: 'A page of them.', schema: approvalList } },
    handle: async ({ services, scope, query }) => {
      const { resourceId: _, ...filter } = query
      const own = defined({ ...filter, resourceId: scope.resourceId })
      const { items, unreadable, next } = await services.storage.approvals.list(own)
      return Response.json({
        approvals: items.map(({ fingerprint: _fingerprint, ...approval }) => approval),
        unreadable,
        ...(next === undefined ? {} : { next }),
      })
    },
  }),
]
