import { defined } from '../defined.ts'
import { type Route, route } from '../http/route.ts'
import { approvalList, approvalsQuery } from '../schemas/runs.ts'
import { listApprovals } from '../work/list-approvals.ts'

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
      const { items: approvals, unreadable, next } = await listApprovals(services, own)
      return Response.json({ approvals, unreadable, ...(next === undefined ? {} : { next }) })
    },
  }),
]
