// Command collector is the OpenTelemetry collector, reduced to the needs of a proof: it receives
// OTLP, and prints it as OTLP in JSON, one batch a line. It is a module of its own, so that the
// service does not depend on it.
//
//	collector --config FILE
package main

import (
	"context"
	"fmt"
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

func main() {
	settings := otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "collector"},
		Factories: factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			DefaultScheme:     "file",
			ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory()},
		}},
	}
	if err := otelcol.NewCommand(settings).Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func factories() (all otelcol.Factories, err error) {
	all.Telemetry = otelconftelemetry.NewFactory()
	if all.Receivers, err = otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory()); err != nil {
		return all, err
	}
	printer := exporter.NewFactory(component.MustNewType("print"), func() component.Config { return &struct{}{} },
		exporter.WithTraces(printing, component.StabilityLevelStable))
	all.Exporters, err = otelcol.MakeFactoryMap[exporter.Factory](printer)
	return all, err
}

// printing returns an exporter that prints traces.
func printing(ctx context.Context, settings exporter.Settings, config component.Config) (exporter.Traces, error) {
	return exporterhelper.NewTraces(ctx, settings, config, func(_ context.Context, traces ptrace.Traces) error {
		line, err := new(ptrace.JSONMarshaler).MarshalTraces(traces)
		if err != nil {
			return fmt.Errorf("encode traces: %w", err)
		}
		_, err = fmt.Fprintln(os.Stdout, string(line))
		return err
	}, exporterhelper.WithCapabilities(consumer.Capabilities{MutatesData: false}))
}
