package features_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/cucumber/godog"

	"frontdesk/adapters/postgres/postgrestest"
)

// TestFeatures runs each feature file as a suite of its own, in parallel.
func TestFeatures(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.feature")
	if err != nil || len(files) == 0 {
		t.Fatalf("feature files: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			runFeature(t, file, postgrestest.New(t))
		})
	}
}

func runFeature(t *testing.T, file string, db *postgrestest.Database) {
	t.Helper()
	surgery := startProgram(t, db)
	retain(t, db, surgery.now)
	suite := godog.TestSuite{
		ScenarioInitializer: func(sc *godog.ScenarioContext) {
			w := newWorld(surgery)
			sc.After(func(ctx context.Context, _ *godog.Scenario, _ error) (context.Context, error) {
				w.end()
				w.look()
				return ctx, nil
			})
			w.practiceSteps(sc)
			w.applicationSteps(sc)
			w.callSteps(sc)
			w.itselfSteps(sc)
			w.seenSteps(sc)
			w.answerSteps(sc)
			w.availabilitySteps(sc)
			w.clinicalSteps(sc)
			w.attachmentSteps(sc)
			w.callsSteps(sc)
			w.logSteps(sc)
			w.auditSteps(sc)
			w.sealingSteps(sc)
			w.tenancySteps(sc)
			w.accessSteps(sc)
			w.webhookSteps(sc)
			w.clockSteps(sc)
			w.staffSteps(sc)
			w.daySteps(sc)
			w.patientSteps(sc)
			w.contactSteps(sc)
			w.practiceItselfSteps(sc)
			w.requestSteps(sc)
			w.displaySteps(sc)
			w.waitingRoomSteps(sc)
			w.requestOutcomeSteps(sc)
			w.erasureSteps(sc)
			w.amendingSteps(sc)
			w.packSteps(sc)
			w.proofSteps(sc)
			w.checkpointSteps(sc)
			w.privacySteps(sc)
		},
		Options: &godog.Options{Format: "progress", Paths: []string{file}, TestingT: t, Strict: true, NoColors: true},
	}
	if suite.Run() != 0 {
		t.Error("the feature does not hold")
	}
	surgery.wantNoAlerts(t)
}
