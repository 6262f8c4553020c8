package requests

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/staff"
)

// FilterDatabase stores filters.
type FilterDatabase interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	ExecBatch(ctx context.Context, batch *pgx.Batch) error
}

// SavedFilters stores the filters of the inbox that members of staff have saved, each as the query
// of its address.
type SavedFilters struct{ DB FilterDatabase }

// mostFilters is how many filters a member can save.
const mostFilters = 8

// of returns the filters of a member.
func (f SavedFilters) of(ctx context.Context, tenant string, member staff.ID) ([]string, error) {
	rows, _ := f.DB.Query(ctx, `SELECT filter FROM saved_filters WHERE tenant = $1 AND staff = $2 ORDER BY filter LIMIT $3`, tenant, member, mostFilters)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list saved filters: %w", err)
	}
	return found, nil
}

// add saves a filter. Beyond the limit, it saves nothing.
func (f SavedFilters) add(ctx context.Context, tenant string, member staff.ID, filter string) error {
	return f.do(ctx, `
		INSERT INTO saved_filters (tenant, staff, filter)
		SELECT $1, $2, $3 WHERE (SELECT count(*) FROM saved_filters WHERE tenant = $1 AND staff = $2) < $4
		ON CONFLICT DO NOTHING`, tenant, member, filter, mostFilters)
}

func (f SavedFilters) remove(ctx context.Context, tenant string, member staff.ID, filter string) error {
	return f.do(ctx, `DELETE FROM saved_filters WHERE tenant = $1 AND staff = $2 AND filter = $3`, tenant, member, filter)
}

func (f SavedFilters) do(ctx context.Context, sql string, args ...any) error {
	batch := &pgx.Batch{}
	batch.Queue(sql, args...)
	if err := f.DB.ExecBatch(ctx, batch); err != nil {
		return fmt.Errorf("change saved filters: %w", err)
	}
	return nil
}

// filters are the saved filters on a page of the inbox.
type filters struct {
	Saved       []pagekit.Tab
	MaySave     bool // the list has a filter that is not saved, and there is room
	IsSaved     bool
	FilterToken string
}

const filtersToken = "saved-filters"

// filtersOf are the saved filters for the page of a list.
func (s *Section) filtersOf(r *pagekit.Request, list listed) (all filters, err error) {
	saved, err := s.Filters.of(r.Context(), r.Tenant, r.Session.Staff)
	if err != nil {
		return all, err
	}
	all.FilterToken = r.Token(filtersToken)
	for _, query := range saved {
		here := query == list.Filter().Query()
		all.Saved = append(all.Saved, pagekit.Tab{Name: filterName(query), Address: r.Base() + "/requests" + query, Here: here})
		all.IsSaved = all.IsSaved || here
	}
	all.MaySave = !all.IsSaved && len(saved) < mostFilters && (list.Type != "" || list.Urgent)
	return all, nil
}

// Filter is the list without its beginning.
func (l listed) Filter() listed { return listed{Tab: l.Tab, Type: l.Type, Urgent: l.Urgent} }

// filterName describes a saved filter.
func filterName(query string) string {
	values, _ := url.ParseQuery(strings.TrimPrefix(query, "?")) // we wrote it
	list := readList(values)
	parts := []string{tabNames[list.Tab]}
	if list.Type != "" {
		parts = append(parts, strings.ToLower(typeNames[list.Type]))
	}
	if list.Urgent {
		parts = append(parts, "urgent only")
	}
	return strings.Join(parts, ", ")
}

// changeFilters saves the filter of the form, or removes it.
func (s *Section) changeFilters(r *pagekit.Request) error {
	if !r.HasToken(filtersToken) {
		return pagekit.ErrStale
	}
	list := listedBy(r).Filter()
	change := s.Filters.add
	switch r.Form.Get("do") {
	case "save":
	case "remove":
		change = s.Filters.remove
	default:
		return pagekit.ErrUnreadable
	}
	if err := change(r.Context(), r.Tenant, r.Session.Staff, list.Query()); err != nil {
		return err
	}
	return r.Redirect(list.address(r))
}
